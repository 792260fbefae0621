import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { readConfig } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS, retentionDays as daysKept, type PlanName } from '../domain/plans.ts'
import { changePlan } from '../manage/plans.ts'
import { removeTeam } from '../manage/removal.ts'
import { createTeam, findTeam } from '../manage/teams.ts'
import { newId } from '../random.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import { tableLines } from './table.ts'
import type { Team } from '../store/mailboxes.ts'
import { withStore } from './with-store.ts'

type CreateOptions = { domain?: string; plan?: PlanName; retentionDays?: number | null; json?: boolean }

export function addTeamCommands(program: Command): void {
  const teams = program.command('teams').description('Manage teams, which own domains, mailboxes, keys and messages.')

  teams
    .command('create <name>')
    .description('Create a team.')
    .option('--domain <domain>', 'custom domain: every address on it works at once')
    .addOption(new Option('--plan <plan>', 'plan (default: DEFAULT_PLAN, else starter)').choices(Object.keys(PLANS)))
    .option('--retention-days <days>', 'enterprise only: days to keep mail, or none to keep it forever', readDays)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams create Checkout --domain checkout.test --plan pro'))
    .action((name: string, options: CreateOptions) =>
      withStore(async (store) => {
        const { defaultPlan, rootDomain } = readConfig('command')
        const { plan = defaultPlan, retentionDays = null } = options
        const team = await createTeam(
          { store, rootDomain, newId, now: Date.now },
          { name, domain: options.domain ?? null, plan, retentionDays },
        )
        print(
          team,
          [`Created team ${team.name} (${team.id}), plan ${plan}, domain ${team.domain ?? rootDomain}.`],
          options,
        )
      }),
    )

  teams
    .command('plan')
    .argument('<team>', 'id or name')
    .addArgument(new Argument('<plan>', 'the new plan').choices(Object.keys(PLANS)))
    .description('Change the plan of a team (id or name): starter, pro or enterprise.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams plan Checkout enterprise'))
    .action((idOrName: string, plan: PlanName, options: { json?: boolean }) => change(idOrName, { plan }, options))

  teams
    .command('retention')
    .argument('<team>', 'id or name')
    .argument('<days>', 'number of days, or none', readDays)
    .description('Set how many days an enterprise team keeps mail, or none to keep it forever.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams retention Checkout 30'))
    .action((idOrName: string, retentionDays: number | null, options: { json?: boolean }) =>
      change(idOrName, { retentionDays }, options),
    )

  const remove = teams
    .command('delete <team>')
    .description(
      'Delete a team (id or name) with its mailboxes, messages, keys and webhooks. Its users stay, without a team.',
    )
    .option('--yes', 'confirm')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe running server, or its next start, deletes the raw mail. If interrupted, run it again.',
    )
    .addHelpText('after', examples('mailhatch teams delete Retired --yes'))
    .action((idOrName: string, options: { yes?: boolean; json?: boolean }) => {
      if (!options.yes) remove.error('error: add --yes to delete the team with all its messages')
      return withStore(async (store) => {
        const { id, name } = await findTeam({ store }, idOrName)
        if ((await store.findBootstrapTeam())?.id === id) {
          throw new AppError('forbidden', `${name} is the team of the server’s first start, which cannot be deleted.`)
        }
        // Without a bucket: the sweep of the server deletes the recorded objects.
        const ports = { store, objects: null, log: { warn() {} }, now: Date.now }
        const { members, keys } = await removeTeam(ports, id)
        const left = `${countOf(keys, 'key')} revoked, ${countOf(members, 'user')} without a team now`
        print({ id, name, members, keys }, [`Deleted team ${name}: ${left}.`], options)
      })
    })

  teams
    .command('list')
    .description('List all teams.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams list'))
    .action((options: { json?: boolean }) =>
      withStore(async (store) => {
        const all = await store.listTeams()
        const rows = all.map((team) => [
          team.id,
          team.name,
          team.plan,
          team.domain ?? '(root domain)',
          retentionText(team),
        ])
        print(all, rows.length > 0 ? tableLines(rows) : ['There are no teams yet.'], options)
      }),
    )
}

function change(
  idOrName: string,
  changes: Parameters<typeof changePlan>[2],
  options: { json?: boolean },
): Promise<void> {
  return withStore(async (store) => {
    const team = await changePlan({ store }, await findTeam({ store }, idOrName), changes)
    print(team, [`${team.name} is on ${team.plan} and ${retentionText(team)}.`], options)
  })
}

function readDays(text: string): number | null {
  if (text === 'none') return null
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number of days, or none to keep mail forever.')
}

function retentionText(team: Pick<Team, 'plan' | 'retentionDays'>): string {
  const days = daysKept(team)
  return days === null ? 'keeps mail forever' : `keeps mail for ${countOf(days, 'day')}`
}
