import { Option, type Command } from 'commander'
import { localUrl, readConfig } from '../program/config.ts'
import { parseEmail, readUserName } from '../domain/account-fields.ts'
import { AppError } from '../domain/errors.ts'
import { findLocalAddresses } from '../program/local-addresses.ts'
import { createToken, linkWith } from '../manage/one-time-tokens.ts'
import { ensureOwner } from '../manage/owner.ts'
import { newId, newSecret } from '../random.ts'
import type { Role, TokenPurpose, User } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { dateText } from './human.ts'
import { print } from './output.ts'
import { tableLines } from './table.ts'
import { chooseTeam, withStore } from './with-store.ts'

type Options = { json?: boolean }

const LINK_HELP = `
The link points to the server that runs in DATA_DIR. If none does, or with DATABASE_URL, set APP_URL.
`

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('Manage users, who sign in to the dashboard.')

  users
    .command('list')
    .description('List all users.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch users list'))
    .action((options: Options) =>
      withStore(async (store) => {
        const teams = new Map((await store.listTeams()).map(({ id, name }) => [id, name]))
        const all = await store.listUsers()
        const rows = all.map(({ id, email, name, teamId, role, createdAt }) => [
          id,
          email,
          name,
          teamId === null ? '(no team)' : `${role} of ${teams.get(teamId)}`,
          `created ${dateText(createdAt)}`,
        ])
        print(all, rows.length > 0 ? tableLines(rows) : ['There are no users yet.'], options)
      }),
    )

  users
    .command('create <email>')
    .description('Create a user in a team and print a sign-in link.')
    .option('--team <id or name>', 'team; required if there are several')
    .addOption(new Option('--role <role>', 'role in the team').choices(['owner', 'member']).default('owner'))
    .option('--name <name>', 'name of the user', '')
    .option('--json', 'print JSON')
    .addHelpText('after', LINK_HELP)
    .addHelpText('after', examples('mailhatch users create ada@example.com --team Checkout --role owner'))
    .action((email: string, options: Options & { team?: string; role: Role; name: string }) =>
      withStore(async (store) => {
        const user = await createUser(store, email, options)
        await printLink(store, user, 'sign-in', options)
      }),
    )

  users
    .command('sign-in-link [email]')
    .description(
      'Print a sign-in link that works once, for 10 minutes. Without an email, for the owner of the first team.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', LINK_HELP)
    .addHelpText('after', examples('mailhatch users sign-in-link', 'mailhatch users sign-in-link ada@example.com'))
    .action((email: string | undefined, options: Options) =>
      withStore(async (store) => {
        const ports = { store, newId, now: Date.now }
        const user = email === undefined ? await ensureOwner(ports) : await findUser(store, email)
        await printLink(store, user, 'sign-in', options)
      }),
    )

  users
    .command('reset-password <email>')
    .description('Delete a user’s password and sessions, and print a link to set a new password.')
    .option('--json', 'print JSON')
    .addHelpText('after', LINK_HELP)
    .addHelpText('after', examples('mailhatch users reset-password ada@example.com'))
    .action((email: string, options: Options) =>
      withStore(async (store) => {
        const user = await findUser(store, email)
        await store.setPassword(user.id, { passwordHash: null, at: Date.now(), keepSessionId: null })
        // The operator vouches for the user, so anything another person may have set up for this address is revoked.
        await store.claimAccount(user, { passwordHash: null, keepsTeam: true, at: Date.now() })
        await printLink(store, user, 'reset', options)
      }),
    )

  const remove = users
    .command('delete <email>')
    .description('Delete a user with their sessions, links, invites and the keys they created.')
    .option('--yes', 'confirm')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch users delete bob@example.com --yes'))
    .action((email: string, options: Options & { yes?: boolean }) => {
      if (!options.yes) remove.error('error: add --yes to delete the user and the keys they created')
      return withStore(async (store) => {
        const user = await findUser(store, email)
        const keys = await store.removeUser(user)
        if (keys === 'gone')
          throw new AppError('not_found', `There is no user ${email} any more, or they moved to another team.`)
        if (keys === 'last owner') {
          throw new AppError(
            'last_owner',
            `${user.email} is the last owner of their team. Create another owner first, or delete the team.`,
          )
        }
        print(
          { id: user.id, email: user.email, keys: keys.length },
          [`Deleted ${user.email}: ${countOf(keys.length, 'key')} revoked.`],
          options,
        )
      })
    })
}

async function createUser(
  store: Store,
  given: string,
  { team: idOrName, role, name }: { team?: string; role: Role; name: string },
): Promise<Pick<User, 'id' | 'email'>> {
  const email = parseEmail(given)
  if (email === null) throw new AppError('validation_failed', `${given} is not an email address.`)
  const team = await chooseTeam(store, idOrName)
  const at = Date.now()
  const user = {
    id: newId(at),
    email,
    name: readUserName(name),
    passwordHash: null,
    teamId: team.id,
    role,
    createdAt: at,
  }
  // The operator vouches for the address.
  if ((await store.addUser({ ...user, emailCheckedAt: at })) === 'added') return user
  throw new AppError('account_exists', `${email} already has an account.`)
}

async function findUser(store: Store, email: string): Promise<User> {
  const user = await store.findUser({ email })
  if (!user) throw new AppError('not_found', `There is no user ${email}.`)
  return user
}

async function printLink(
  store: Store,
  { id, email }: Pick<User, 'id' | 'email'>,
  purpose: TokenPurpose,
  options: Options,
): Promise<void> {
  const token = await createToken({ store, newSecret, now: Date.now }, id, purpose)
  const link = linkWith(token, purpose, findAppUrl())
  print({ id, email, link }, [`Link for ${email}; it works once, for 10 minutes:`, link], options)
}

/** APP_URL if set, else the URL of the server that runs in DATA_DIR. */
function findAppUrl(): string {
  const { appUrl, port, host, dataDir } = readConfig('command')
  return appUrl === localUrl(port, host) ? (findLocalAddresses(dataDir)?.appUrl ?? appUrl) : appUrl
}
