import { Option, type Command } from 'commander'
import { readConfig } from '../config.ts'
import { AppError } from '../domain/errors.ts'
import { isPlanName, PLANS, retentionDays, type PlanName } from '../domain/plans.ts'
import { changePlan } from '../manage/plans.ts'
import { createTeam, findTeam } from '../manage/teams.ts'
import { newId } from '../random.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import type { Team } from '../store/store.ts'
import { withStore } from './with-store.ts'

type CreateOptions = { domain?: string; plan?: string; retentionDays?: string; json?: boolean }

export function addTeamCommands(program: Command): void {
  const teams = program.command('teams').description('Teams own domains, mailboxes, keys and messages.')

  teams
    .command('create <name>')
    .description('Make a team.')
    .option('--domain <domain>', 'domain of its own: any address there works at once')
    .addOption(
      new Option('--plan <plan>', 'plan (default: this command’s DEFAULT_PLAN, else starter)').choices(
        Object.keys(PLANS),
      ),
    )
    .option('--retention-days <days>', 'on enterprise: how long mail is kept, or none to keep it')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams create Checkout --domain checkout.test --plan pro'))
    .action((name: string, options: CreateOptions) =>
      withStore(async (store) => {
        const { defaultPlan, rootDomain } = readConfig('api')
        const plan = options.plan === undefined ? defaultPlan : readPlanName(options.plan)
        const retentionDays = options.retentionDays === undefined ? null : readDays(options.retentionDays)
        const team = await createTeam(
          { store, rootDomain, newId, now: Date.now },
          { name, domain: options.domain ?? null, plan, retentionDays },
        )
        print(team, [`Made team ${team.name} (${team.id}), ${plan}, mail to ${team.domain ?? rootDomain}.`], options)
      }),
    )

  teams
    .command('plan <team> <plan>')
    .description('Put a team, given by id or name, on a plan: starter, pro or enterprise.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch teams plan Checkout enterprise'))
    .action((idOrName: string, plan: string, options: { json?: boolean }) =>
      change(idOrName, { plan: readPlanName(plan) }, options),
    )

  teams
    .command('retention <team> <days>')
    .description('Say how many days the mail of an enterprise team is kept, or none to keep it.')
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
          [team.id, team.name, team.plan, team.domain ?? '(root domain)', kept(team)].join('  '),
        )
        print(all, lines.length > 0 ? lines : ['There is no team yet.'], options)
      }),
    )
}

function change(idOrName: string, wish: Parameters<typeof changePlan>[2], options: { json?: boolean }): Promise<void> {
  return withStore(async (store) => {
    const team = await changePlan({ store }, await findTeam({ store }, idOrName), wish)
    print(team, [`${team.name} is on ${team.plan} and ${kept(team)}.`], options)
  })
}

function readPlanName(text: string): PlanName {
  if (isPlanName(text)) return text
  throw new AppError('validation_failed', `A plan is one of ${Object.keys(PLANS).join(', ')}.`)
}

function readDays(text: string): number | null {
  if (text === 'none') return null
  if (/^\d+$/.test(text)) return Number(text)
  throw new AppError('validation_failed', 'Mail is kept for a number of days, or none to keep it.')
}

function kept(team: Pick<Team, 'plan' | 'retentionDays'>): string {
  const days = retentionDays(team)
  return days === null ? 'keeps mail' : `keeps mail for ${days} days`
}
