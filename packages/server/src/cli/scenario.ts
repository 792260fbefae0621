import type { Scenario } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { parseSteps, STEP_EXAMPLES, stepText } from '../domain/step-text.ts'
import { connect, withConnection } from './connection.ts'
import { countOf } from './count-of.ts'
import { readDurationUpTo } from './duration.ts'
import { examples } from './examples.ts'
import { found } from './found.ts'
import { dateText } from './human.ts'
import { print, type JsonOption } from './output.ts'
import { tableLines } from './table.ts'

const ID = '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'

type AddOptions = JsonOption & { prefix?: boolean; expiresIn?: number }

export function addScenarioCommands(program: Command): void {
  const scenario = program
    .command('scenario')
    .description('Delay, refuse or cut off the mail to an address, step by step, to test how an app copes.')
  /** A subcommand with what all of them share. */
  const add = (usage: string, description: string) => {
    const command = scenario.command(usage).description(description).option('--json', 'print JSON')
    return withConnection(command)
  }

  const create = add(
    'add <address> <step...>',
    'Script the mail to an address, such as qa+signup, on the domain of the team unless it has one. It replaces the scenario of the same address, and returns when it is in effect. A step is for one mail, or as many as its x2 says: accept:x2, reject:451x2. Its options follow a comma: at=data (reject, delay; also at=rcpt and at=after-data), enhanced=4.3.0 and, as the last one, text=Try again (reject), after=1kB and stored (cut). The last step stays.',
  )
    .option('--prefix', 'also for other tags of the mailbox that begin like this one')
    .option('--expires-in <duration>', 'when it ends, at most 24h (default: 10m)', readDurationUpTo('24h', '1s'))
    .addHelpText('after', `\nSteps: ${Object.values(STEP_EXAMPLES).join(', ')}`)
    .addHelpText(
      'after',
      examples(
        'mailhatch scenario add qa+retry@mailhatch.test reject:451x2 delay:8s accept',
        "mailhatch scenario add bounces@mailhatch.test 'reject:550,enhanced=5.1.1,text=No such user' --prefix --expires-in 1h",
      ),
    )
    .action(async (address: string, steps: string[], { json, prefix, expiresIn }: AddOptions) => {
      const definitions = parseSteps(steps).map((definition) => ({ definition }))
      const client = connect(create)
      const to = address.includes('@') ? address : `${address}@${(await client.me()).team.domain}`
      const script = await client.scenarios.create(to, definitions, {
        match: prefix ? 'prefix' : 'exact',
        expiresIn: expiresIn === undefined ? undefined : Math.floor(expiresIn / 1_000),
      })
      const added = await script.state()
      print(added, [`Added ${added.id}, until ${dateText(added.expiresAt)}:`, ...stepLines(added)], { json })
    })

  const list = add('list', 'List the scenarios that have not ended, newest first.')
    .addHelpText('after', examples('mailhatch scenario list'))
    .action(async (options: JsonOption) => {
      const all = await connect(list).scenarios.list()
      const rows = all.map((each) => [
        each.id,
        addressOf(each),
        `next: ${stepText(each.steps[each.nextStep]!)}`,
        countOf(each.mails, 'mail'),
        `until ${dateText(each.expiresAt)}`,
      ])
      print(all, rows.length > 0 ? tableLines(rows) : ['There are no scenarios.'], options)
    })

  const show = add('show <id>', 'Show a scenario: how many mails each step has got, and which one is next.')
    .addHelpText('after', examples(`mailhatch scenario show ${ID}`))
    .action(async (id: string, options: JsonOption) => {
      const shown = await found(connect(show).scenarios.get(id), noScenario(id))
      print(shown, [`${addressOf(shown)}, until ${dateText(shown.expiresAt)}:`, ...stepLines(shown)], options)
    })

  const remove = add('remove <id>', 'End a scenario. From then on, mail to the address is accepted as usual.')
    .addHelpText('after', examples(`mailhatch scenario remove ${ID}`))
    .action(async (id: string, options: JsonOption) => {
      const removed = await found(connect(remove).scenarios.delete(id), noScenario(id))
      print(removed, [`Removed scenario ${id}.`], options)
    })
}

function noScenario(id: string): string {
  return `There is no scenario ${id}, or it has ended. mailhatch scenario list shows the ids.`
}

function addressOf({ to, match }: Scenario): string {
  return match === 'exact' ? to : `${to} and tags that begin like it`
}

function stepLines({ steps, nextStep, mailsPerStep }: Scenario): string[] {
  return tableLines(
    steps.map((step, index) => [
      // One column, because only the first is not cut.
      `${String(index + 1).padStart(4)}  ${stepText(step)}`,
      countOf(mailsPerStep[index]!, 'mail'),
      index === nextStep ? 'next' : '',
    ]),
  )
}
