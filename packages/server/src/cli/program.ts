import { loadEnvFile } from 'node:process'
import { Command, Option } from 'commander'
import { addBackupCommand } from './backup.ts'
import { chooseColor, COLOR_CHOICES, type ColorChoice } from './color.ts'
import { addCommandsCommand } from './commands.ts'
import { addCompletionCommand } from './completion.ts'
import { addDatabaseCommands } from './db.ts'
import { addDoctorCommand } from './doctor.ts'
import { addExitCodes } from './exit-codes.ts'
import { addExportCommand } from './export.ts'
import { addGetCommand } from './get.ts'
import { addImportCommand } from './import.ts'
import { addKeyCommands } from './keys.ts'
import { addListCommand } from './list.ts'
import { addListenCommand } from './listen.ts'
import { addMailboxCommands } from './mailboxes.ts'
import { addMcpCommand } from './mcp.ts'
import { addOpenCommand } from './open.ts'
import { jsonText } from './output.ts'
import { addReadyCommand } from './ready.ts'
import { addSendCommand } from './send.ts'
import { addServerCommands } from './serve.ts'
import { addStatusCommand } from './status.ts'
import { addTailCommand } from './tail.ts'
import { addTeamCommands } from './teams.ts'
import { addUserCommands } from './users.ts'
import { addWaitCommand } from './wait.ts'
import { addWhoamiCommand } from './whoami.ts'
import { addWorkerCommands } from './worker.ts'

type GlobalOptions = { settings?: string; color: ColorChoice }

const PARTS: [heading: string, ...add: ((program: Command) => void)[]][] = [
  ['Servers:', addServerCommands, addWorkerCommands],
  [
    'Mail:',
    addSendCommand,
    addWaitCommand,
    addTailCommand,
    addListCommand,
    addGetCommand,
    addOpenCommand,
    addListenCommand,
  ],
  ['State:', addStatusCommand, addReadyCommand, addWhoamiCommand, addDoctorCommand],
  ['Data:', addImportCommand, addExportCommand, addBackupCommand, addDatabaseCommands],
  ['Teams:', addTeamCommands, addUserCommands, addMailboxCommands, addKeyCommands],
  ['Tools:', addMcpCommand, addCompletionCommand, addCommandsCommand, addExitCodes],
]

/** The whole command line. */
export function createProgram(version: string): Command {
  const isTerminal = process.stderr.isTTY
  const program = new Command('mailhatch')
    .description('Catches the mail your app sends and hands it to the test that waits for it.')
    .version(version)
    .showHelpAfterError(isTerminal ? '(add --help for more)' : false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(isTerminal ? text : usageError(text)) })
    // Not read by itself: in most folders, .env belongs to the app under test and has a PORT of its own.
    .option('--settings <file>', 'read settings from this file; what the environment has wins')
    .addOption(new Option('--color <when>', 'whether to use colours').choices(COLOR_CHOICES).default('auto'))
    .addHelpText('after', '\nmailhatch without a command starts the server in the folder where you stand.')
    .addHelpText('after', 'mailhatch help exit-codes says what the exit codes mean.')
    // Before the command looks at the environment for those of its options that can stand there.
    .hook('preSubcommand', (command) => {
      const { settings } = command.opts<GlobalOptions>()
      if (settings !== undefined) loadEnvFile(settings)
    })
    .hook('preAction', (command) => chooseColor(command.opts<GlobalOptions>().color))
    .exitOverride()
  for (const [heading, ...parts] of PARTS) {
    program.commandsGroup(heading)
    for (const add of parts) add(program)
  }
  return program
}

/** As every other error that a program reads. */
function usageError(text: string): string {
  const message = text.trim().replace(/^error: /, '')
  return `${jsonText({ error: { message, code: 'usage', category: 'user_input', retryable: false } })}\n`
}
