import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../src/observe/logger.ts'
import { readConfig } from '../src/program/config.ts'
import { startApi } from '../src/program/node.ts'
import { announcement, store } from './support/announce.ts'
import { ask, type Answer } from './support/ask.ts'
import { describedOperations, responseOf, type Described } from './support/documented.ts'
import { startFileServer } from './support/file-server.ts'
import { freePort } from './support/free-port.ts'
import { withDatabase } from './support/journey-database.ts'
import { makeTeam, makeTeamKey } from './support/made-team.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { json, KEPT_ENDPOINT_URL, make, OTHER, startWalk, type Call } from './support/walk.ts'

/** Failures that need an outage, a load or a long wait are tested elsewhere, once for all operations. */
const SEEN_ELSEWHERE: Record<string, { why: string; file: string }> = {
  internal: { why: 'needs a fault in the server', file: 'test/openapi-outages.test.ts' },
  storage_full: { why: 'needs a full disk', file: 'test/openapi-outages.test.ts' },
  request_timeout: { why: 'takes 40 seconds', file: 'test/openapi-timeout.long.test.ts' },
  headers_too_large: { why: 'is answered below the API, before there is a request', file: 'test/bad-requests.test.ts' },
  database_unavailable: { why: 'needs a database that is away', file: 'test/replicas/failures.test.ts' },
  storage_unavailable: { why: 'needs a storage that is away', file: 'test/s3-storage.test.ts' },
  shutting_down: { why: 'needs a server that stops', file: 'src/read/wait.test.ts' },
  too_many_waits: { why: 'needs 20,000 held requests', file: 'src/read/wait.test.ts' },
  too_many_streams: { why: 'needs 1,000 streams', file: 'src/read/streams.test.ts' },
  server_busy: { why: 'needs an overloaded server', file: 'test/overload.test.ts' },
  scenario_unsupported: { why: 'needs another setting', file: 'test/cloudflare.test.ts' },
  scenario_limit: { why: 'needs 1,000 scenarios', file: 'test/scenario-limit.test.ts' },
}

const URL_CHARACTERS_MAX = 8_192
const BODY_BYTES_MAX = 256 * 1024
const ANNOUNCEMENT_BYTES_MAX = 27 * 1024 * 1024
const NOTICE_BYTES_MAX = 16 * 1024

const walk = await startWalk()
const limited = await startFileServer({ RATE_LIMIT: 'on', DEFAULT_PLAN: 'starter' })
const { url, keys } = walk

type Provocation = (described: Described) => Promise<Answer<unknown>>

/** The operation's usual request, changed. */
function changed(change: (call: Call, described: Described) => Partial<Call>): Provocation {
  return async (described) => {
    const call = await walk.callFor(described)
    return make(url, { ...call, ...change(call, described) }, walk.credentialsFor(described))
  }
}

function withKey(key: (described: Described) => string | null): Provocation {
  return async (described) => make(url, await walk.callFor(described), key(described))
}

const withId = (id: () => string | Promise<string>): Provocation => {
  return async (described) => {
    const path = described.path.replace('{id}', await id()).replace('{index}', '0')
    return make(url, { ...(await walk.callFor(described)), path }, keys.full)
  }
}

const withBody = (value: unknown) => changed(() => json(value))
const announced = (changes: object) => withBody({ ...announcement(), ...changes })

/** How to provoke a code in any operation. */
const PROVOCATIONS: Record<string, Provocation> = {
  unauthorized: withKey(() => null),
  key_expired: withKey(() => keys.expired),
  forbidden: withKey(({ operation }) => (operation.security.length > 1 ? keys.orphan : keys.emailFull)),
  rate_limited: exceedLimit,
  url_too_long: changed(({ path }) => ({
    path: `${path}${path.includes('?') ? '&' : '?'}x=`.padEnd(URL_CHARACTERS_MAX, 'x'),
  })),
  not_found: withId(randomUUID),
  message_not_found: withId(randomUUID),
  mailbox_invalid: changed(({ path }) => ({ path: path.replace(/mailbox=.*/, 'mailbox=a%2Cb') })),
  validation_failed: changed(({ path }) => ({ path: `${path}&mailbox=twice` })),
  unknown_parameter: changed(({ path }, { operation }) => {
    const meant = operation.parameters.find(({ name, in: place }) => place === 'query' && name.length >= 4)
    return { path: `${path.split('?')[0]}?${meant!.name}x=1` }
  }),
  unsupported_media_type: changed(() => ({ headers: { 'content-type': 'text/plain' } })),
  payload_too_large: changed(({ body = '' }) => ({ body: body.padEnd(BODY_BYTES_MAX + 1) })),
}

/** How to provoke it where that takes more. */
const OWN_PROVOCATIONS: Record<string, Provocation> = {
  'listMessages cursor_not_found': changed(({ path }) => ({ path: `${path}&after_id=${randomUUID()}` })),
  'listAttempts cursor_not_found': changed(({ path }) => ({ path: `${path}&after_id=${randomUUID()}` })),
  'countMessages cursor_not_found': changed(() => ({ path: '/v1/messages/count?after=c9999999' })),
  'settledMessages cursor_not_found': changed(() => ({ path: '/v1/messages/settled?mailbox=qa&after=c9999999' })),
  'latestMessage message_not_found': changed(() => ({ path: '/v1/messages/latest?mailbox=nothing-here' })),
  'getRawMessage raw_unavailable': withId(announceOnly),
  'getAttachment raw_unavailable': withId(announceOnly),
  'listAttempts validation_failed': changed(({ path }) => ({ path: `${path}&limit=0` })),
  'listRejections validation_failed': changed(({ path }) => ({ path: `${path}?limit=0` })),
  'getRawMessage worker_unreachable': askWithoutWorker,
  'getAttachment worker_unreachable': askWithoutWorker,
  'createMailbox mailbox_invalid': withBody({ name: '-' }),
  'createMailbox validation_failed': withBody({ name: 1 }),
  'createMailbox mailbox_reserved': withBody({ name: 'admin' }),
  'createMailbox mailbox_limit': createBeyondPlan,
  'createMailbox mailbox_taken': createTaken,
  'renameMailbox mailbox_invalid': withBody({ name: '-' }),
  'renameMailbox validation_failed': withBody({ name: 1 }),
  'renameMailbox mailbox_reserved': withBody({ name: 'admin' }),
  'renameMailbox mailbox_taken': withBody({ name: OTHER }),
  'createWebhook validation_failed': withBody({ url: 1 }),
  'createWebhook webhook_url_insecure': withBody({ url: 'http://shop.example/' }),
  'createWebhook webhook_url_private': withBody({ url: 'https://10.0.0.1/' }),
  'createWebhook webhooks_unavailable': createEndpointOnStarter,
  'createWebhook webhook_limit': createTooManyEndpoints,
  'createWebhook webhook_exists': withBody({ url: KEPT_ENDPOINT_URL }),
  'updateWebhook validation_failed': withBody({ active: 'yes' }),
  'updateWebhook webhook_url_insecure': withBody({ url: 'http://shop.example/' }),
  'updateWebhook webhook_url_private': withBody({ url: 'https://10.0.0.1/' }),
  'updateWebhook webhook_exists': withBody({ url: KEPT_ENDPOINT_URL }),
  'createScenario validation_failed': withBody({ to: 'qa@mailhatch.test', steps: [] }),
  'createScenario mailbox_unknown': withBody({ to: 'qa@unknown.example', steps: [{ do: 'accept' }] }),
  'createScenario scenario_too_large': withBody({
    to: 'qa@mailhatch.test',
    steps: Array.from({ length: 51 }, () => ({ do: 'accept' })),
  }),
  'reportAttempts validation_failed': withBody({ id: randomUUID(), attempts: [{}] }),
  'listScripts validation_failed': withBody({ version: 1 }),
  'takeScriptStep validation_failed': withBody({ id: 1 }),
  'pollQuestions validation_failed': withBody({ worker: 'no id' }),
  'settledMessages mailbox_unknown': changed(() => ({ path: '/v1/messages/settled?mailbox=qa@unknown.example' })),
  'listWebhookDeliveries validation_failed': changed(({ path }) => ({ path: `${path}?limit=0` })),
  'replayFailedWebhookDeliveries validation_failed': changed(({ path }) => ({ path: `${path}?status=success` })),
  'replayFailedWebhookDeliveries endpoint_inactive': replayWhenInactive,
  'replayWebhookDelivery endpoint_inactive': replayWhenInactive,
  'announceMail validation_failed': withBody({}),
  'announceMail received_at_invalid': announced({ receivedAt: '2026-02-30T00:00:00Z' }),
  'announceMail inbox_domain_unknown': announced({ domain: 'unknown.example' }),
  'announceMail mailbox_unknown': announced({ domain: 'in.mailhatch.test', mailbox: 'nobody' }),
  'reportSetAside validation_failed': withBody({}),
  'reportSetAside payload_too_large': changed(({ body = '' }) => ({ body: body.padEnd(NOTICE_BYTES_MAX + 1) })),
  'announceMail payload_too_large': changed(({ body = '' }) => ({ body: body.padEnd(ANNOUNCEMENT_BYTES_MAX + 1) })),
}

const PAIRS = describedOperations.flatMap((described) =>
  Object.keys(described.operation.responses).flatMap((status) => {
    const { examples = {} } = responseOf(described.operation, Number(status))!.content['application/json'] ?? {}
    const { operationId: id } = described.operation
    return Object.keys(examples).map((code) => ({ id, status: Number(status), code, described }))
  }),
)

describe('every documented failure can occur', () => {
  test.each(PAIRS.filter(({ code }) => !(code in SEEN_ELSEWHERE)))(
    '$id: $status $code',
    async ({ id, status, code, described }) => {
      const provoke = OWN_PROVOCATIONS[`${id} ${code}`] ?? PROVOCATIONS[code]
      expect(provoke, `nothing here provokes ${code}`).toBeDefined()
      // The format and headers are checked for every response.
      const answer = await provoke!(described)
      expect([answer.status, (answer.body as { code?: string }).code]).toEqual([status, code])
    },
  )

  test('every provoked failure is documented', () => {
    const pairs = PAIRS.map(({ id, code }) => `${id} ${code}`)
    const codes = PAIRS.map(({ code }) => code)
    expect(Object.keys(OWN_PROVOCATIONS).filter((pair) => !pairs.includes(pair))).toEqual([])
    expect(Object.keys(PROVOCATIONS).filter((code) => !codes.includes(code))).toEqual([])
  })

  test.each(Object.entries(SEEN_ELSEWHERE))('%s is documented, and tested elsewhere', (code, { file }) => {
    expect(PAIRS.map((pair) => pair.code)).toContain(code)
    const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    expect(source.includes(code), `${file} tests ${code}`).toBe(true)
  })
})

describe('every operation succeeds with valid input', () => {
  test.each(describedOperations.map((described) => ({ id: described.operation.operationId, described })))(
    '$id',
    async ({ described }) => {
      const [success = ''] = Object.keys(described.operation.responses)
      const credentials = walk.credentialsFor(described)
      // The key that is rotated is not used again.
      const key = described.path.endsWith('/rotate') ? await makeTeamKey(walk.environment, walk.team.name) : credentials
      const answer = await make(url, await walk.callFor(described), key)
      expect(answer.status).toBe(Number(success))
    },
  )
})

const ATTACHMENT = { index: 0, filename: 'a.txt', contentType: 'text/plain', size: 1, contentId: null, inline: false }

/** A separate API whose worker is down. */
async function askWithoutWorker({ method, path }: Described): Promise<Answer<unknown>> {
  const dataDir = temporaryFolder()
  const key = await makeTeam({ DATA_DIR: dataDir }, { name: 'Apart', domain: 'apart.test', plan: 'pro' })
  const settings = {
    DATA_DIR: dataDir,
    PORT: '0',
    INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
    WORKER_URL: `http://127.0.0.1:${await freePort()}`,
    ADMIN_TOKEN: 'token-of-a-worker-that-is-away',
  }
  const api = await startApi(readConfig('api', await withDatabase(settings)), createLogger('silent', false))
  onTestFinished(() => api.close())
  const apart = `http://127.0.0.1:${api.apiPort}`
  const { id } = await store(apart, { domain: 'apart.test', attachments: [ATTACHMENT] })
  const filled = path.replace('{id}', id).replace('{index}', '0')
  return make(apart, { method: method.toUpperCase(), path: filled }, key)
}

/** A message whose raw bytes only the worker has. */
async function announceOnly(): Promise<string> {
  return (await store(url, { attachments: [ATTACHMENT] })).id
}

/** The team's requests of this minute are used up. One minute may end meanwhile, but not three. */
async function exceedLimit(described: Described): Promise<Answer<unknown>> {
  const call = { ...(await walk.callFor(described)) }
  for (let minute = 1; ; minute += 1) {
    for (let asked = 0; asked < 70; asked += 1) {
      if ((await ask(`${limited.url}/v1/me`, { key: limited.apiKey })).status === 429) break
    }
    const answer = await make(limited.url, call, limited.apiKey)
    if (answer.status === 429 || minute === 3) return answer
  }
}

async function createBeyondPlan(): Promise<Answer<unknown>> {
  const key = await makeTeam(walk.environment, { name: 'Small', plan: 'starter' })
  expect((await createNamed('first', key)).status).toBe(201)
  return createNamed('second', key)
}

/** Two teams without their own domain share the root domain. */
async function createTaken(): Promise<Answer<unknown>> {
  const one = await makeTeam(walk.environment, { name: 'One', plan: 'pro' })
  const two = await makeTeam(walk.environment, { name: 'Two', plan: 'pro' })
  expect((await createNamed('wanted', one)).status).toBe(201)
  return createNamed('wanted', two)
}

async function createEndpointOnStarter(): Promise<Answer<unknown>> {
  const key = await makeTeam(walk.environment, { name: 'Without webhooks', plan: 'starter' })
  return createEndpoint('https://shop.example/', key)
}

async function createTooManyEndpoints(): Promise<Answer<unknown>> {
  const key = await makeTeam(walk.environment, { name: 'With webhooks', plan: 'pro' })
  for (let count = 1; count <= 20; count++)
    expect((await createEndpoint(`https://shop.example/${count}`, key)).status).toBe(201)
  return createEndpoint('https://shop.example/', key)
}

async function replayWhenInactive(described: Described): Promise<Answer<unknown>> {
  const call = await walk.callFor(described)
  const [endpoint = ''] = call.path.split('/deliveries')
  const off = await make(url, { method: 'PATCH', path: endpoint, ...json({ active: false }) }, keys.full)
  expect(off.status).toBe(200)
  return make(url, call, keys.full)
}

function createEndpoint(target: string, key: string): Promise<Answer<unknown>> {
  return make(url, { method: 'POST', path: '/v1/webhooks', ...json({ url: target }) }, key)
}

function createNamed(name: string, key: string): Promise<Answer<unknown>> {
  return make(url, { method: 'POST', path: '/v1/mailboxes', ...json({ name }) }, key)
}
