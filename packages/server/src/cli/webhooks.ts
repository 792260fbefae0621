import type { Mailhatch, WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import { Option, type Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { countOf } from './count-of.ts'
import { readCountUpTo } from './count.ts'
import { examples } from './examples.ts'
import { EXIT } from './failure.ts'
import { found, noEndpoint } from './found.ts'
import { dateText } from './human.ts'
import { print, type JsonOption } from './output.ts'
import { tableLines } from './table.ts'

/** The server's maximum per request. */
const DELIVERIES_MAX = 100
const ID = '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'

type CreateOptions = JsonOption & { description?: string; mailbox?: string; tag?: string }
type UpdateOptions = JsonOption & { target?: string; description?: string; active?: boolean }
type DeliveriesOptions = JsonOption & { status?: WebhookDelivery['status']; limit: number }

export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('Manage webhook endpoints: URLs that receive a signed request for each new message.')
  /** A subcommand with what all of them share. */
  const add = (usage: string, description: string, ...lines: string[]) => {
    const command = webhooks.command(usage).description(description).option('--json', 'print JSON')
    return withConnection(command).addHelpText('after', examples(...lines))
  }

  const list = add('list', 'List the endpoints, newest first.', 'mailhatch webhooks list').action(
    async (options: JsonOption) => {
      const all = await connect(list).webhooks.list()
      const rows = all.map((endpoint) => [endpoint.id, stateOf(endpoint), endpoint.url, limitsOf(endpoint)])
      print(all, rows.length > 0 ? tableLines(rows) : ['There are no endpoints yet.'], options)
    },
  )

  const create = add(
    'create <url>',
    'Add an endpoint and print its signing secret, which is not shown again.',
    'mailhatch webhooks create https://shop.example/hooks/mail --mailbox qa',
  )
    .option('--mailbox <name>', 'only mail to this mailbox')
    .option('--tag <tag>', 'only mail with this tag')
    .option('--description <text>', 'description')
    .action(async (url: string, { json, description, mailbox, tag }: CreateOptions) => {
      const input = { url, ...given({ description, mailbox, tag }) }
      const created = await connect(create).webhooks.create(input)
      print(created, [`Added ${created.endpoint.url} (${created.endpoint.id}).`, `Secret: ${created.secret}`], { json })
    })

  const update = add(
    'update <id>',
    'Change an endpoint, or switch it on or off.',
    `mailhatch webhooks update ${ID} --no-active`,
    `mailhatch webhooks update ${ID} --active --target https://shop.example/hooks/mail2`,
  )
    .option('--target <url>', 'new URL of the endpoint')
    .option('--description <text>', 'new description')
    .option('--active', 'switch it on')
    .option('--no-active', 'switch it off')
    .action(async (id: string, { json, target, description, active }: UpdateOptions) => {
      const changes = given({ url: target, description, active })
      if (Object.keys(changes).length === 0) {
        update.error('error: pass what to change: --target, --description, --active or --no-active')
      }
      const endpoint = await found(connect(update).webhooks.update(id, changes), noEndpoint(id))
      print(endpoint, [`${endpoint.url} is ${stateOf(endpoint)}.`], { json })
    })

  const test = add('test <id>', 'Send a test event once and show the result.', `mailhatch webhooks test ${ID}`).action(
    async (id: string, options: JsonOption) => {
      const delivery = await found(connect(test).webhooks.test(id), noEndpoint(id))
      print(delivery, [resultOf(delivery)], options)
      if (delivery.status !== 'success') process.exitCode = EXIT.failure
    },
  )

  const secret = add(
    'rotate-secret <id>',
    'Replace the signing secret and print the new one. For 24 hours, deliveries are signed with both.',
    `mailhatch webhooks rotate-secret ${ID}`,
  ).action(async (id: string, options: JsonOption) => {
    const rotated = await found(connect(secret).webhooks.rotateSecret(id), noEndpoint(id))
    print(rotated, [rotated.secret], options)
  })

  const deliveries = add(
    'deliveries <id>',
    'List the deliveries of an endpoint, newest first.',
    `mailhatch webhooks deliveries ${ID} --status failed`,
  )
    .addOption(new Option('--status <status>', 'only these').choices(['pending', 'success', 'failed']))
    .option('--limit <n>', `maximum number, up to ${DELIVERIES_MAX}`, readCountUpTo(DELIVERIES_MAX), 50)
    .action(async (id: string, { json, limit, status }: DeliveriesOptions) => {
      const all = await found(
        connect(deliveries).webhooks.deliveries(id, { limit, ...given({ status }) }),
        noEndpoint(id),
      )
      const rows = all.map((one) => [one.id, dateText(one.createdAt), resultOf(one), countOf(one.attempt, 'attempt')])
      print(all, rows.length > 0 ? tableLines(rows) : ['No deliveries.'], { json })
    })

  const replay = add(
    'replay <id> [delivery]',
    'Send a delivery again, or all failed ones.',
    `mailhatch webhooks replay ${ID}`,
  ).action(async (id: string, delivery: string | undefined, options: JsonOption) => {
    const result = await replayed(connect(replay), id, delivery)
    print(result, [`Sending ${countOf(result.replayed, 'delivery', 'deliveries')} again.`], options)
  })

  const remove = add('delete <id>', 'Delete an endpoint and its deliveries.', `mailhatch webhooks delete ${ID}`).action(
    async (id: string, options: JsonOption) => {
      const removed = await found(connect(remove).webhooks.delete(id), noEndpoint(id))
      print(removed, [`Deleted endpoint ${id}.`], options)
    },
  )
}

async function replayed({ webhooks }: Mailhatch, id: string, delivery: string | undefined) {
  if (delivery === undefined) return found(webhooks.replayFailed(id), noEndpoint(id))
  await found(webhooks.replay(id, delivery), `There is no delivery ${delivery} of an endpoint ${id}.`)
  return { replayed: 1 }
}

/** Without fields that are undefined. */
function given<Fields extends object>(fields: Fields): { [name in keyof Fields]?: NonNullable<Fields[name]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The same keys, without undefined values.
  return Object.fromEntries(entries) as { [name in keyof Fields]?: NonNullable<Fields[name]> }
}

function stateOf({ active, disabledReason }: WebhookEndpoint): string {
  return active ? 'active' : `inactive${disabledReason === null ? '' : `: ${disabledReason}`}`
}

function limitsOf({ mailbox, tag }: WebhookEndpoint): string {
  if (mailbox === null) return tag === null ? 'all mail' : `mail with the tag ${tag}`
  return `mail to ${mailbox}${tag === null ? '' : `+${tag}`}`
}

function resultOf({ status, httpStatus, latencyMs, error }: WebhookDelivery): string {
  const answer = httpStatus === null ? [] : [`status ${httpStatus}`]
  const time = latencyMs === null ? [] : [`${latencyMs} ms`]
  return [status, ...answer, ...time, ...(error === null ? [] : [error])].join(', ')
}
