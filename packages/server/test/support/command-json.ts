import { z } from 'zod'
import { SHAPES } from '../../src/http/shapes/shapes.ts'
import { smtpAttempt } from '../../src/http/shapes/attempt-shapes.ts'
import { scenario } from '../../src/http/shapes/scenario-shapes.ts'
import { settledState } from '../../src/http/shapes/settled-shapes.ts'
import { count, id, time } from '../../src/http/shapes/shape-parts.ts'

const { MessageSummary, MessageDetail, Mailbox, Me, WebhookEndpoint, WebhookDelivery } = SHAPES

const found = z.strictObject({ value: z.string(), from: z.string() })
const removed = z.strictObject({ id })
const cursor = z.string().min(1)
const team = z.strictObject({
  id,
  name: z.string(),
  plan: z.enum(['starter', 'pro', 'enterprise']),
  retentionDays: count.nullable(),
  domain: z.string().nullable(),
})
const storedMailbox = z.strictObject({
  id,
  teamId: id,
  name: z.string(),
  domain: z.string(),
  createdAt: time,
  updatedAt: time,
})
const key = z.strictObject({
  id,
  teamId: id,
  name: z.string(),
  masked: z.string(),
  scopes: z.array(z.string()),
  mailboxId: id.nullable(),
  mailboxName: z.string().nullable(),
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
  createdAt: time,
  createdBy: id.nullable(),
})
const user = z.strictObject({
  id,
  email: z.string(),
  name: z.string(),
  emailCheckedAt: time.nullable(),
  teamId: id.nullable(),
  role: z.enum(['owner', 'member']).nullable(),
  joinedAt: time.nullable(),
  createdAt: time,
})
const link = z.strictObject({ id, email: z.string(), link: z.url() })
const finding = z.strictObject({
  check: z.string(),
  state: z.enum(['ok', 'warn', 'fail', 'skip']),
  says: z.string(),
  advice: z.string().optional(),
  figures: z.record(z.string(), z.number()).optional(),
})
const stored = z.looseObject({
  id,
  status: z.string(),
  receivedAt: time,
  lastAttemptAt: time.nullable(),
  rawSize: count,
})
const step = z.strictObject({ does: z.string(), path: z.string(), body: z.looseObject({}) })
const entry = z.strictObject({
  path: z.string(),
  usage: z.string(),
  description: z.string(),
  arguments: z.array(z.strictObject({ name: z.string(), required: z.boolean(), variadic: z.boolean() })),
  options: z.array(
    z.strictObject({
      flags: z.string(),
      description: z.string(),
      default: z.string().nullable(),
      variable: z.string().nullable(),
      choices: z.array(z.string()),
    }),
  ),
  examples: z.array(z.string()),
})

/** A line that prints JSON, in the words of `{…}` of the stage, and its schema; or why the command prints none. */
export type CommandJson = { line: string; schema: z.ZodType; code?: number } | { none: string }

/** Every command, in an order in which each finds what it needs. */
export const COMMAND_JSON: Record<string, CommandJson> = {
  serve: { none: 'runs a server' },
  api: { none: 'runs a server' },
  worker: { none: 'runs a server' },
  mcp: { none: 'speaks the protocol of MCP on standard output' },
  completion: { none: 'prints a script' },
  listen: { none: 'prints one object per line until it is stopped: cli/listen.test.ts' },
  'db distribute': { none: 'needs PostgreSQL with Citus: test/db-distribute.test.ts checks it' },
  'db copy': { none: 'needs PostgreSQL: test/db-copy.test.ts checks it with DATABASE_COPY' },

  address: { line: 'address --tag sign-up', schema: z.strictObject({ address: z.email(), cursor }) },
  send: {
    line: 'send --to qa+sent@mailhatch.test',
    schema: z.strictObject({
      ids: z.array(id).length(1),
      reply: z.string(),
      accepted: z.array(z.string()).length(1),
      rejected: z.array(z.string()),
    }),
  },
  wait: { line: 'wait --to qa+sent', schema: MessageDetail },
  settled: {
    line: 'settled qa+sent@mailhatch.test --expect 1 --quiet 10ms',
    schema: settledState.extend({ cursor }),
  },
  attempts: { line: 'attempts qa+sent', schema: z.array(smtpAttempt).length(1) },
  tail: { line: 'tail --since 1h --count 1', schema: MessageSummary },
  list: { line: 'list', schema: z.array(MessageSummary).min(1) },
  get: { line: 'get {message}', schema: MessageDetail },
  open: { line: 'open', schema: z.strictObject({ url: z.url() }) },

  'scenario add': {
    line: 'scenario add qa+scripted@mailhatch.test reject:451x2 accept --prefix --expires-in 90s',
    schema: scenario,
  },
  'scenario list': { line: 'scenario list', schema: z.array(scenario).length(1) },
  'scenario show': { line: 'scenario show {scenario}', schema: scenario },
  'scenario remove': { line: 'scenario remove {scenario}', schema: removed },

  status: {
    line: 'status',
    schema: z.strictObject({
      url: found,
      apiKey: found,
      smtp: found,
      status: z.enum(['ready', 'not ready']),
      troubles: z.array(z.string()),
      team: Me.shape.team,
      messageCount: count,
    }),
  },
  ready: { line: 'ready', schema: z.strictObject({ url: z.url(), status: z.literal('ready') }) },
  whoami: { line: 'whoami', schema: Me.extend({ url: found, apiKey: found }) },
  doctor: {
    line: 'doctor --deep',
    schema: z.strictObject({ healthy: z.boolean(), findings: z.array(finding).min(5) }),
  },

  export: {
    line: 'export --dir mails',
    schema: z.strictObject({ dir: z.literal('mails'), messages: count, withoutRaw: count }),
  },
  import: {
    line: 'import mails',
    schema: z.strictObject({
      imported: z.literal(0),
      duplicates: count,
      failed: z.literal(0),
      problems: z.array(z.string()),
    }),
  },
  backup: {
    line: 'backup --to copy',
    schema: z.strictObject({
      folder: z.string(),
      databases: z.array(z.string()).length(2),
      bytes: count,
      notContained: z.array(z.string()),
    }),
  },
  'db status': {
    line: 'db status',
    schema: z.strictObject({
      database: z.string(),
      schema: count,
      newestSchema: count,
      isFinishOpen: z.boolean(),
      counts: z.record(z.string(), count),
      cluster: z.null(),
    }),
  },
  'db migrate': {
    line: 'db migrate',
    schema: z.strictObject({ database: z.string(), from: count, to: count, isFinishOpen: z.boolean() }),
  },

  'teams create': { line: 'teams create Checkout --domain checkout.test --plan enterprise', schema: team },
  'teams plan': { line: 'teams plan Checkout enterprise', schema: team },
  'teams retention': { line: 'teams retention Checkout 30', schema: team.extend({ retentionDays: z.literal(30) }) },
  'teams list': { line: 'teams list', schema: z.array(team).length(2) },
  'users create': { line: 'users create ada@corp.example --team Checkout --role member', schema: link },
  'users sign-in-link': { line: 'users sign-in-link ada@corp.example', schema: link },
  'users reset-password': { line: 'users reset-password ada@corp.example', schema: link },
  'users list': { line: 'users list', schema: z.array(user).length(2) },
  'mailboxes create': { line: 'mailboxes create orders --team Checkout', schema: storedMailbox },
  'mailboxes list': { line: 'mailboxes list', schema: z.array(Mailbox).min(1) },
  'mailboxes rename': { line: 'mailboxes rename spare renamed', schema: Mailbox },
  'mailboxes delete': { line: 'mailboxes delete renamed --yes', schema: removed },
  'keys create': {
    line: 'keys create --team Checkout --expires 2050-01-31T12:00:00Z',
    schema: z.strictObject({ id, key: z.string().startsWith('mh_') }),
  },
  'keys list': { line: 'keys list', schema: z.array(key).min(2) },
  'keys revoke': { line: 'keys revoke {key}', schema: removed },
  'webhooks create': {
    line: 'webhooks create {receiver}',
    schema: z.strictObject({ endpoint: WebhookEndpoint, secret: z.string().startsWith('whsec_') }),
  },
  'webhooks list': { line: 'webhooks list', schema: z.array(WebhookEndpoint).min(1) },
  'webhooks update': { line: 'webhooks update {endpoint} --description Orders', schema: WebhookEndpoint },
  'webhooks test': { line: 'webhooks test {endpoint}', schema: WebhookDelivery },
  'webhooks rotate-secret': {
    line: 'webhooks rotate-secret {endpoint}',
    schema: z.strictObject({ secret: z.string().startsWith('whsec_') }),
  },
  'webhooks deliveries': { line: 'webhooks deliveries {endpoint}', schema: z.array(WebhookDelivery) },
  'webhooks replay': { line: 'webhooks replay {endpoint}', schema: z.strictObject({ replayed: count }) },
  'webhooks delete': { line: 'webhooks delete {endpoint}', schema: removed },

  'worker inboxes': {
    line: 'worker inboxes',
    schema: z.strictObject({ mailboxes: z.array(z.string()).min(1), status: z.string().nullable() }),
  },
  'worker messages': {
    line: 'worker messages qa@mailhatch.test',
    schema: z.strictObject({ messages: z.array(stored).min(1) }),
  },
  'worker retry': {
    line: 'worker retry',
    schema: z.strictObject({ retried: count, processed: count, failed: count }),
  },
  'worker bootstrap': {
    line: 'worker bootstrap --dry-run',
    schema: z.strictObject({ worker: z.url(), dryRun: z.literal(true), steps: z.array(step).min(1) }),
  },
  commands: { line: 'commands', schema: z.array(entry).min(40) },

  delete: { line: 'delete {message}', schema: z.strictObject({ deleted: z.literal(1) }) },
  'users delete': {
    line: 'users delete ada@corp.example --yes',
    schema: z.strictObject({ id, email: z.literal('ada@corp.example'), keys: count }),
  },
  'teams delete': {
    line: 'teams delete Checkout --yes',
    schema: z.strictObject({ id, name: z.literal('Checkout'), members: count, keys: count }),
  },
}

export const DATABASE_COPY = z.strictObject({
  copied: z.record(z.string(), count),
  digests: z.array(z.looseObject({ rows: count })).min(1),
})
