import { Argument, type Command } from 'commander'
import { commandTree } from './command-tree.ts'
import { bashScript, fishScript, zshScript, type Words } from './completion-scripts.ts'
import { powershellScript } from './completion-powershell.ts'
import { examples } from './examples.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript }
type Shell = keyof typeof SCRIPTS

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a completion script for your shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      examples(
        'eval "$(mailhatch completion bash)"',
        'mailhatch completion zsh > _mailhatch',
        'mailhatch completion fish > mailhatch.fish',
        'mailhatch completion powershell >> profile.ps1',
      ),
    )
    .action((shell: Shell) => console.log(SCRIPTS[shell](wordsOf(program))))
}

/** For each command, its subcommands and options. */
export function wordsOf(program: Command): Words[] {
  const tree = commandTree(program)
  const namesBelow = (path: string) =>
    tree.flatMap((entry) => {
      const parent = entry.path.split(' ').slice(0, -1).join(' ')
      return parent === path ? [{ word: entry.path.split(' ').at(-1)!, description: entry.description }] : []
    })
  const optionsOf = (options: { flags: string; description: string }[]) =>
    options.map(({ flags, description }) => ({ word: /--[\w-]+/.exec(flags)![0], description }))
  return [
    { path: '', words: [...namesBelow(''), { word: '--help', description: 'show help' }] },
    ...tree.map(({ path, options }) => ({ path, words: [...namesBelow(path), ...optionsOf(options)] })),
  ]
}
