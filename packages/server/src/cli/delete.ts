import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { found, noMessage } from './found.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { print, type JsonOption } from './output.ts'

type DeleteOptions = FilterOptions & JsonOption & { yes?: boolean }

export function addDeleteCommand(program: Command): void {
  const command = program
    .command('delete [id...]')
    .description('Delete messages and their raw mail: those with these ids, or all that match the filters.')
  withConnection(
    withFilter(command)
      .option('--yes', 'confirm that all matching messages are deleted; not needed with ids')
      .option('--json', 'print JSON'),
  )
    .addHelpText(
      'after',
      `\nmailhatch list with the same filters shows what would be deleted.\n${examples(
        'mailhatch delete 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
        'mailhatch delete --to qa+old@mailhatch.test --yes',
      )}`,
    )
    .action(async (ids: string[], { yes = false, ...options }: DeleteOptions) => {
      const filter = filterOf(options)
      const isFiltered = Object.keys(filter).length > 0
      if (ids.length === 0 && !isFiltered) command.error('error: pass the ids of messages, or a filter such as --to')
      if (ids.length > 0 && isFiltered) command.error('error: pass either ids or filters, not both')
      if (isFiltered && !yes) command.error('error: add --yes to delete all messages that match the filters')
      const { messages } = connect(command)
      // One after the other, so that an error says which id it is about.
      for (const id of ids) await found(messages.delete(id), noMessage(id))
      const deleted = isFiltered ? (await messages.deleteMany(filter)).deleted : ids.length
      print({ deleted }, [`Deleted ${countOf(deleted, 'message')}.`], options)
    })
}
