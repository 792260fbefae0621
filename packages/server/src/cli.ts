import { readFileSync } from 'node:fs'
import { loadEnvFile } from 'node:process'
import { Command, CommanderError } from 'commander'
import { addDatabaseCommands } from './cli/db.ts'
import { addKeyCommands } from './cli/keys.ts'
import { addMailboxCommands } from './cli/mailboxes.ts'
import { fail, EXIT } from './cli/output.ts'
import { addServerCommands } from './cli/serve.ts'
import { addTeamCommands } from './cli/teams.ts'
import { addWorkerCommands } from './cli/worker.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const program = new Command('mailhatch')
  .description('Catches the mail your app sends and hands it to the test that waits for it.')
  .version(version)
  .showHelpAfterError('(add --help for more)')
  .configureHelp({ showGlobalOptions: true })
  // Not read by itself: in most folders, .env belongs to the app under test and has a PORT of its own.
  .option('--settings <file>', 'read settings from this file; what the environment has wins')
  .hook('preAction', (command) => {
    const { settings } = command.opts<{ settings?: string }>()
    if (settings !== undefined) loadEnvFile(settings)
  })
  .exitOverride()

addServerCommands(program)
addWorkerCommands(program)
addTeamCommands(program)
addMailboxCommands(program)
addKeyCommands(program)
addDatabaseCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  // Commander has already said what was wrong with the words it was given.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
  else fail(error)
  // A program that could not start whole may have started in part.
  process.exit()
}
