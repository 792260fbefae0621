import { Option, type Command } from 'commander'
import { readConfig } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { isPlanName, PLANS, retentionDays, type PlanName } from '../domain/plans.ts'
import { changePlan } from '../manage/plans.ts'
import { createTeam, findTeam } from '../manage/teams.ts'
import { newId } from '../random.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import type { Team } from '../store/mailboxes.ts'
import { withStore } from './with-store.ts'

type CreateOptions = { domain?: string; plan?: string; retentionDays?: string; json?: boolean }

export function addTeamCommands(program: Command): void {
  const teams = program.command('teams').description('Manage teams, which own domains, mailboxes, keys and messages.')

  teams
    .command('create <name>')
    .description('Create a team.')
    .option('--domain <domain>', 'custom domain: every address on it works at once')
    .addOption(new Option('--plan <plan>', 'plan (default: DEFAULT_PLAN, else starter)').choices(Object.keys(PLANS)))
    .option('--retention-days <days>', 'enterprise only: days to keep mail, or none to keep it forever')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams create Checkout --domain checkout.test --plan pro'))
    .action((name: string, options: CreateOptions) =>
      withStore(async (store) => {
        const { defaultPlan, rootDomain } = readConfig('command')
        const plan = options.plan === undefined ? defaultPlan : readPlanName(options.plan)
        const retentionDays = options.retentionDays === undefined ? null : readDays(options.retentionDays)
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
    .command('plan <team> <plan>')
    .description('Change the plan of a team (id or name): starter, pro or enterprise.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams plan Checkout enterprise'))
    .action((idOrName: string, plan: string, options: { json?: boolean }) =>
      change(idOrName, { plan: readPlanName(plan) }, options),
    )

  teams
    .command('retention <team> <days>')
    .description('Set how many days an enterprise team keeps mail, or none to keep it forever.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams retention Checkout 30'))
    .action((idOrName: string, days: string, options: { json?: boolean }) =>
      change(idOrName, { retentionDays: readDays(days) }, options),
    )

  teams
    .command('list')
    .description('List all teams.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams list'))
    .action((options: { json?: boolean }) =>
      withStore(async (store) => {
        const all = await store.listTeams()
        const lines = all.map((team) =>
          [team.id, team.name, team.plan, team.domain ?? '(root domain)', retentionText(team)].join('  '),
        )
        print(all, lines.length > 0 ? lines : ['There are no teams yet.'], options)
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

function readPlanName(text: string): PlanName {
  if (isPlanName(text)) return text
  throw new AppError('validation_failed', `Unknown plan. Choose one of ${Object.keys(PLANS).join(', ')}.`)
}

function readDays(text: string): number | null {
  if (text === 'none') return null
  if (/^\d+$/.test(text)) return Number(text)
  throw new AppError('validation_failed', 'Expected a number of days, or none to keep mail forever.')
}

function retentionText(team: Pick<Team, 'plan' | 'retentionDays'>): string {
  const days = retentionDays(team)
  return days === null ? 'keeps mail forever' : `keeps mail for ${countOf(days, 'day')}`
}
