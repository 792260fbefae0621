import type { Command } from 'commander'
import { commandTree } from './command-tree.ts'
import { examples } from './examples.ts'
import { print, type JsonOption } from './output.ts'

export function addCommandsCommand(program: Command): void {
  program
    .command('commands')
    .description('List every command with its options, for scripts and tools.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('mailhatch commands --json'))
    .action((options: JsonOption) => {
      const tree = commandTree(program)
      print(
        tree,
        tree.map(({ usage, description }) => `${usage}\n    ${description}`),
        options,
      )
    })
}
