import { Command, Option } from 'commander'
import { addAddressCommand } from './address.ts'
import { addAttemptsCommand } from './attempts.ts'
import { addBackupCommand } from './backup.ts'
import { chooseColor, COLOR_CHOICES, type ColorChoice } from './color.ts'
import { addCommandsCommand } from './commands.ts'
import { addCompletionCommand } from './completion.ts'
import { addDatabaseCommands } from './db.ts'
import { addDeleteCommand } from './delete.ts'
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
import { addScenarioCommands } from './scenario.ts'
import { addSendCommand } from './send.ts'
import { addServerCommands } from './serve.ts'
import { addSettledCommand } from './settled.ts'
import { addStatusCommand } from './status.ts'
import { addTailCommand } from './tail.ts'
import { refuseEmpty } from './refuse-empty.ts'
import { addTeamCommands } from './teams.ts'
import { withTypedFlags } from './typed-flags.ts'
import { addUserCommands } from './users.ts'
import { addWaitCommand } from './wait.ts'
import { addWebhookCommands } from './webhooks.ts'
import { addWhoamiCommand } from './whoami.ts'
import { addWorkerCommands } from './worker.ts'
import { loadSettings } from '../program/config.ts'

type GlobalOptions = { settings?: string; color: ColorChoice }

const PARTS: [heading: string, ...add: ((program: Command) => void)[]][] = [
  ['Servers:', addServerCommands, addWorkerCommands],
  [
    'Mail:',
    addAddressCommand,
    addSendCommand,
    addWaitCommand,
    addSettledCommand,
    addTailCommand,
    addListCommand,
    addGetCommand,
    addDeleteCommand,
    addOpenCommand,
    addListenCommand,
    addScenarioCommands,
    addAttemptsCommand,
  ],
  ['State:', addStatusCommand, addReadyCommand, addWhoamiCommand, addDoctorCommand],
  ['Data:', addImportCommand, addExportCommand, addBackupCommand, addDatabaseCommands],
  ['Teams:', addTeamCommands, addUserCommands, addMailboxCommands, addKeyCommands, addWebhookCommands],
  ['Tools:', addMcpCommand, addCompletionCommand, addCommandsCommand, addExitCodes],
]

/** The whole command line. `words` are what the user typed. */
export function createProgram(version: string, words: string[] = []): Command {
  const isTerminal = process.stderr.isTTY
  const program = new Command('mailhatch')
    .description('Catches the mail your app sends and hands it to the waiting test.')
    .version(version)
    .showHelpAfterError(isTerminal ? '(add --help for more)' : false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError(text, write) {
        const typed = withTypedFlags(text, words)
        write(isTerminal ? typed : usageError(typed))
      },
    })
    // .env is not read automatically: it usually belongs to the app under test and has its own PORT.
    .option('--settings <file>', 'read settings from this file; environment variables take precedence')
    .addOption(new Option('--color <when>', 'when to use colours').choices(COLOR_CHOICES).default('auto'))
    .addHelpText('after', '\nWithout a command, mailhatch starts the server with its data in the current folder.')
    .addHelpText('after', 'mailhatch help exit-codes explains the exit codes.')
    // Before the command reads options from the environment.
    .hook('preSubcommand', (command) => {
      loadSettings(command.opts<GlobalOptions>().settings)
    })
    .hook('preAction', (command) => chooseColor(command.opts<GlobalOptions>().color))
    .hook('preAction', (_, command) => refuseEmpty(command))
    .exitOverride()
  for (const [heading, ...parts] of PARTS) {
    program.commandsGroup(heading)
    for (const add of parts) add(program)
  }
  return program
}

/** The same JSON shape as other errors. */
function usageError(text: string): string {
  const message = text.trim().replace(/^error: /, '')
  return `${jsonText({ error: { message, code: 'usage', category: 'user_input', retryable: false } })}\n`
}
