import { Option, type Command } from 'commander'
import { readConfig } from '../config.ts'
import { isPlanName, PLANS, retentionDays } from '../domain/plans.ts'
import { createTeam } from '../manage/teams.ts'
import { newId } from '../random.ts'
import { print } from './output.ts'
import { withStore } from './with-store.ts'

type CreateOptions = { domain?: string; plan?: string; json?: boolean }

export function addTeamCommands(program: Command): void {
  const teams = program.command('teams').description('Teams own domains, mailboxes, keys and messages.')

  teams
    .command('create <name>')
    .description('Make a team.')
    .option('--domain <domain>', 'domain of its own: any address there works at once')
    .addOption(new Option('--plan <plan>', 'plan (default: DEFAULT_PLAN)').choices(Object.keys(PLANS)))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mailhatch teams create "Checkout" --domain checkout.test --plan pro')
    .action((name: string, options: CreateOptions) =>
      withStore(async (store) => {
        const { defaultPlan, rootDomain } = readConfig('api')
        const plan = options.plan && isPlanName(options.plan) ? options.plan : defaultPlan
        const team = await createTeam(
          { store, rootDomain, newId, now: Date.now },
          { name, domain: options.domain ?? null, plan },
        )
        print(team, [`Made team ${team.name} (${team.id}), ${plan}, mail to ${team.domain ?? rootDomain}.`], options)
      }),
    )

  teams
    .command('list')
    .description('List all teams.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withStore(async (store) => {
        const all = await store.listTeams()
        const lines = all.map((team) => {
          const days = retentionDays(team)
          return `${team.id}  ${team.name}  ${team.plan}  ${team.domain ?? '(root domain)'}  ${days === null ? 'keeps mail' : `${days} days`}`
        })
        print(all, lines.length > 0 ? lines : ['There is no team yet.'], options)
      }),
    )
}
