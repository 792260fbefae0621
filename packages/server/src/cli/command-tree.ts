import type { Argument, Command, Option } from 'commander'

export type OptionEntry = {
  flags: string
  description: string
  default: string | null
  variable: string | null
  choices: string[]
}
export type ArgumentEntry = { name: string; required: boolean; variadic: boolean }

/** A command as data. Commands that only group others have no examples. */
export type CommandEntry = {
  /** Without the program name: `worker retry`. */
  path: string
  usage: string
  description: string
  arguments: ArgumentEntry[]
  options: OptionEntry[]
  examples: string[]
}

/** All subcommands, in the order of the help. */
export function commandTree(program: Command): CommandEntry[] {
  return below(program, '')
}

/** The lines after `Example:` in a help text. */
export function examplesIn(help: string): string[] {
  const [, block = ''] = /^Examples?:\n((?: {2}\S.*\n?)+)/m.exec(help) ?? []
  return block.split('\n').flatMap((line) => line.trim() || [])
}

function below(parent: Command, path: string): CommandEntry[] {
  const visible = parent.createHelp().visibleCommands(parent)
  return visible
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const own = `${path} ${command.name()}`.trim()
      return [describe(command, own), ...below(command, own)]
    })
}

function describe(command: Command, path: string): CommandEntry {
  const shown = command.createHelp().visibleOptions(command)
  return {
    path,
    usage: `mailhatch ${path} ${command.usage()}`,
    description: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    options: shown.filter(({ long }) => long !== '--help').map(describeOption),
    examples: examplesIn(helpOf(command)),
  }
}

/** The whole help, including texts added with `addHelpText`. */
export function helpOf(command: Command): string {
  let help = ''
  const before = command.configureOutput()
  command.configureOutput({ ...before, writeOut: (text) => (help += text) })
  command.outputHelp()
  command.configureOutput(before)
  return help
}

function describeArgument(argument: Argument): ArgumentEntry {
  return { name: argument.name(), required: argument.required, variadic: argument.variadic }
}

function describeOption({
  flags,
  description,
  defaultValue,
  defaultValueDescription,
  envVar,
  argChoices,
}: Option): OptionEntry {
  // All our defaults are strings or numbers.
  const value = (defaultValueDescription ?? defaultValue) as string | number | undefined
  return {
    flags,
    description,
    default: value === undefined ? null : String(value),
    variable: envVar ?? null,
    choices: argChoices ?? [],
  }
}
