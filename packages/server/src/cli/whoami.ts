import type { Command } from 'commander'
import { maskApiKey } from '../domain/api-key.ts'
import { clientOf, findConnection, withConnection, type Found } from './connection.ts'
import { examples } from './examples.ts'
import { print, type JsonOption } from './output.ts'

export function addWhoamiCommand(program: Command): void {
  const command = program
    .command('whoami')
    .description('Show the server and key, their sources, and the permissions of the key.')
    .option('--json', 'print JSON')
  withConnection(command)
    .addHelpText('after', examples('mailhatch whoami'))
    .action(async (options: JsonOption) => {
      const connection = findConnection(command)
      const { url, apiKey } = connection
      const known = { url, apiKey: apiKey && masked(apiKey) }
      const lines = [describeFound('Server', url), apiKey ? describeFound('Key', masked(apiKey)) : 'Key: none']
      try {
        const { team, key, messageCount, cursor } = await clientOf(connection).me()
        const scopes = `${key.scopes.join(', ')}${key.mailbox === null ? '' : `, mailbox ${key.mailbox} only`}`
        print(
          { ...known, team, key, messageCount, cursor },
          [
            ...lines,
            `Permissions: ${scopes} (${key.name})`,
            `Team: ${team.name}, domain ${team.domain}, plan ${team.plan}`,
            `Messages: ${messageCount}, cursor ${cursor}`,
          ],
          options,
        )
      } catch (error) {
        // The sources help to find out what is wrong.
        print(known, lines, options)
        throw error
      }
    })
}

export function masked({ value, from }: Found): Found {
  return { value: maskApiKey(value), from }
}

export function describeFound(name: string, { value, from }: Found): string {
  return `${name}: ${value} (${from})`
}
