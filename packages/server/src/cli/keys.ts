import type { Scope } from '@mailhatch/sdk'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { AppError } from '../domain/errors.ts'
import { parseIsoTime } from '../domain/iso-time.ts'
import { hashApiKey } from '../http/authenticate.ts'
import { createKey } from '../manage/keys.ts'
import { newId, secureRandom } from '../random.ts'
import type { Mailbox, Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import { examples } from './examples.ts'
import { dateText } from './human.ts'
import { print } from './output.ts'
import { tableLines } from './table.ts'
import { chooseTeam, withStore } from './with-store.ts'

type CreateOptions = {
  team?: string
  scope?: Scope
  mailbox?: string
  name: string
  expires?: number
  json?: boolean
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('Manage API keys, which give programs access to a team’s messages.')

  keys
    .command('create')
    .description('Create a key and print it. It is not shown again.')
    .option('--team <id or name>', 'team; required if there are several')
    .addOption(
      new Option('--scope <scope>', 'permissions (default: api.full, or email.mailbox with --mailbox)').choices([
        'api.full',
        'email.full',
        'email.mailbox',
      ]),
    )
    .option('--mailbox <name>', 'limit the key to this mailbox')
    .option('--name <name>', 'name of the key', 'Key')
    .option('--expires <time>', 'ISO 8601 time at which the key expires', readExpiry)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'mailhatch keys create --name ci --scope email.full --team Checkout',
        'mailhatch keys create --name agent --mailbox orders --team Checkout',
      ),
    )
    .action((options: CreateOptions) =>
      withStore(async (store) => {
        const team = await chooseTeam(store, options.team)
        const mailbox = await findMailbox(store, team, options.mailbox)
        const request = {
          name: options.name,
          scope: options.scope ?? (mailbox ? 'email.mailbox' : 'api.full'),
          mailbox,
          expiresAt: options.expires ?? null,
        }
        const ports = { store, newId, now: Date.now, random: secureRandom, hashKey: hashApiKey }
        const { key, record } = await createKey(ports, team, request)
        print({ id: record.id, key }, [key], options)
      }),
    )

  keys
    .command('list')
    .description('List keys, masked.')
    .option('--team <id or name>', 'only keys of this team')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch keys list --team Checkout'))
    .action((options: { team?: string; json?: boolean }) =>
      withStore(async (store) => {
        const team = options.team === undefined ? null : await chooseTeam(store, options.team)
        const all = await store.listKeys(team?.id ?? null)
        const rows = all.map((key) => [
          key.id,
          key.masked,
          key.scopes.join(' '),
          key.mailboxName ?? '',
          key.name,
          key.lastUsedAt === null ? 'never used' : `used ${dateText(key.lastUsedAt)}`,
          key.expiresAt === null ? '' : `expires ${dateText(key.expiresAt)}`,
        ])
        print(all, rows.length > 0 ? tableLines(rows) : ['There are no keys yet.'], options)
      }),
    )

  keys
    .command('revoke <id>')
    .description('Revoke a key. It stops working at once.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch keys revoke 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'))
    .action((id: string, options: { json?: boolean }) =>
      withStore(async (store) => {
        if (!(await store.removeKey(id))) throw new AppError('not_found', `There is no key ${id}.`)
        print({ id }, [`Revoked key ${id}.`], options)
      }),
    )
}

async function findMailbox(store: Store, team: Team, name: string | undefined): Promise<Mailbox | null> {
  if (name === undefined) return null
  const mailbox = await store.findTeamMailbox({ teamId: team.id, name: name.toLowerCase() })
  if (!mailbox) throw new AppError('not_found', `Team ${team.name} has no mailbox ${name}.`)
  return mailbox
}

function readExpiry(given: string): number {
  const at = parseIsoTime(given)
  if (at === null) throw new InvalidArgumentError('Expected an ISO 8601 time such as 2027-01-31T12:00:00Z.')
  return at
}
