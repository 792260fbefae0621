import type { Command } from 'commander'
import { readConfig } from '../program/config.ts'
import { createMailbox } from '../manage/mailboxes.ts'
import { newId } from '../random.ts'
import { examples } from './examples.ts'
import { print } from './output.ts'
import { chooseTeam, withStore } from './with-store.ts'

export function addMailboxCommands(program: Command): void {
  program
    .command('mailboxes')
    .description('Manage mailboxes, which receive mail for <name>@<domain> and <name>+<tag>@<domain>.')
    .command('create <name>')
    .description('Create a mailbox on the team’s domain, or on the shared root domain.')
    .option('--team <id or name>', 'team; required if there are several')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch mailboxes create orders --team Checkout'))
    .action((name: string, options: { team?: string; json?: boolean }) =>
      withStore(async (store) => {
        const { rootDomain } = readConfig('command')
        const team = await chooseTeam(store, options.team)
        const mailbox = await createMailbox({ store, rootDomain, newId, now: Date.now }, team, name)
        print(mailbox, [`Mailbox ${mailbox.name}@${mailbox.domain} is ready (${mailbox.id}).`], options)
      }),
    )
}
