import { Option, type Command } from 'commander'
import { readConfig } from '../config.ts'
import { AppError } from '../domain/errors.ts'
import { isPlanName, PLANS, retentionDays, type PlanName } from '../domain/plans.ts'
import { changeTeam, createTeam, findTeam } from '../manage/teams.ts'
import { newId } from '../random.ts'
import { print } from './output.ts'
import type { Team } from '../store/store.ts'
import { withStore } from './with-store.ts'

type PlanOptions = { plan?: string; retentionDays?: string; json?: boolean }
type CreateOptions = PlanOptions & { domain?: string }

export function addTeamCommands(program: Command): void {
  const teams = program.command('teams').description('Teams own domains, mailboxes, keys and messages.')

  teams
    .command('create <name>')
    .description('Make a team.')
    .option('--domain <domain>', 'domain of its own: any address there works at once')
    .addOption(new Option('--plan <plan>', 'plan (default: DEFAULT_PLAN)').choices(Object.keys(PLANS)))
    .option('--retention-days <days>', 'on enterprise: how long mail is kept, or none to keep it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mailhatch teams create "Checkout" --domain checkout.test --plan pro')
    .action((name: string, options: CreateOptions) =>
      withStore(async (store) => {
        const { defaultPlan, rootDomain } = readConfig('api')
        const { plan = defaultPlan, retentionDays = null } = readPlan(options)
        const team = await createTeam(
          { store, rootDomain, newId, now: Date.now },
          { name, domain: options.domain ?? null, plan, retentionDays },
        )
        print(team, [`Made team ${team.name} (${team.id}), ${plan}, mail to ${team.domain ?? rootDomain}.`], options)
      }),
    )

  teams
    .command('update <team>')
    .description('Change the plan of a team, given by id or name, or how long its mail is kept.')
    .addOption(new Option('--plan <plan>', 'new plan').choices(Object.keys(PLANS)))
    .option('--retention-days <days>', 'on enterprise: how long mail is kept, or none to keep it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mailhatch teams update Checkout --plan enterprise --retention-days 30')
    .action((idOrName: string, options: PlanOptions) =>
      withStore(async (store) => {
        const team = await changeTeam({ store }, await findTeam({ store }, idOrName), readPlan(options))
        print(team, [`${team.name} is on ${team.plan} and ${kept(team)}.`], options)
      }),
    )

  teams
    .command('list')
    .description('List all teams.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withStore(async (store) => {
        const all = await store.listTeams()
        const lines = all.map((team) =>
          [team.id, team.name, team.plan, team.domain ?? '(root domain)', kept(team)].join('  '),
        )
        print(all, lines.length > 0 ? lines : ['There is no team yet.'], options)
      }),
    )
}

function readPlan({ plan, retentionDays }: PlanOptions): { plan?: PlanName; retentionDays?: number | null } {
  const wish: ReturnType<typeof readPlan> = {}
  if (plan !== undefined && isPlanName(plan)) wish.plan = plan
  if (retentionDays === 'none') wish.retentionDays = null
  else if (retentionDays !== undefined) wish.retentionDays = readDays(retentionDays)
  return wish
}

function readDays(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new AppError('validation_failed', '--retention-days takes a number of days, or none.')
}

function kept(team: Pick<Team, 'plan' | 'retentionDays'>): string {
  const days = retentionDays(team)
  return days === null ? 'keeps mail' : `keeps mail for ${days} days`
}
