import type { Mailbox, Mailhatch } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { readConfig } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { createMailbox } from '../manage/mailboxes.ts'
import { newId } from '../random.ts'
import { connect, withConnection } from './connection.ts'
import { examples } from './examples.ts'
import { dateText } from './human.ts'
import { print, type JsonOption } from './output.ts'
import { tableLines } from './table.ts'
import { chooseTeam, withStore } from './with-store.ts'

export function addMailboxCommands(program: Command): void {
  const mailboxes = program
    .command('mailboxes')
    .description('Manage mailboxes, which receive mail for <name>@<domain> and <name>+<tag>@<domain>.')

  mailboxes
    .command('create <name>')
    .description('Create a mailbox on the team’s domain, or on the shared root domain. Uses the database directly.')
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

  const list = mailboxes
    .command('list')
    .description('List the mailboxes that the API key may read, most recently changed first.')
    .option('--json', 'print JSON')
  withConnection(list)
    .addHelpText('after', examples('mailhatch mailboxes list'))
    .action(async (options: JsonOption) => {
      const all = await connect(list).mailboxes.list()
      const rows = all.map(({ id, address, createdAt }) => [id, address, `created ${dateText(createdAt)}`])
      print(all, rows.length > 0 ? tableLines(rows) : ['There are no mailboxes yet.'], options)
    })

  const rename = mailboxes
    .command('rename <mailbox> <name>')
    .description('Rename a mailbox (name or id). Its messages and keys follow.')
    .option('--json', 'print JSON')
  withConnection(rename)
    .addHelpText('after', examples('mailhatch mailboxes rename qa receipts'))
    .action(async (given: string, name: string, options: JsonOption) => {
      const mailhatch = connect(rename)
      const { id, address: before } = await findMailbox(mailhatch, given)
      const renamed = await mailhatch.mailboxes.rename(id, name)
      print(renamed, [`Renamed ${before} to ${renamed.address}.`], options)
    })

  const remove = mailboxes
    .command('delete <mailbox>')
    .description('Delete a mailbox (name or id) with all its messages.')
    .option('--yes', 'confirm')
    .option('--json', 'print JSON')
  withConnection(remove)
    .addHelpText('after', examples('mailhatch mailboxes delete old --yes'))
    .action(async (given: string, { yes = false, ...options }: JsonOption & { yes?: boolean }) => {
      if (!yes) remove.error('error: add --yes to delete the mailbox and all its messages')
      const mailhatch = connect(remove)
      const { id, address } = await findMailbox(mailhatch, given)
      await mailhatch.mailboxes.delete(id)
      print({ id }, [`Deleted ${address} and its messages.`], options)
    })
}

async function findMailbox({ mailboxes }: Pick<Mailhatch, 'mailboxes'>, given: string): Promise<Mailbox> {
  const found = (await mailboxes.list()).find(
    ({ id, name, address }) => id === given || [name, address].includes(given.toLowerCase()),
  )
  if (found) return found
  throw new AppError('not_found', `There is no mailbox ${given}.`)
}
