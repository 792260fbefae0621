import type { Command } from 'commander'
import { askOverNetwork, createMailReader } from '../mcp/mail-reader.ts'
import { secureRandom } from '../random.ts'
import { clientOf, findConnection, withConnection } from './connection.ts'
import { examples } from './examples.ts'

export function addMcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description('Give an AI agent the tools to read mail: MCP over standard input and output.')
  withConnection(command)
    .addHelpText(
      'after',
      `\nGive the agent a key that is bound to a mailbox: mailhatch keys create --name agent --mailbox qa\n${examples(
        'mailhatch mcp',
      )}`,
    )
    .action(async () => {
      const connection = findConnection(command)
      const mailhatch = clientOf(connection)
      const { url } = mailhatch
      // Without a key there is no client.
      const apiKey = connection.apiKey!.value
      const reader = createMailReader(askOverNetwork({ url, apiKey }))
      // Before an agent connects, so that a wrong address or key is told to the person who set it up.
      const { key } = await mailhatch.me()
      // Only this command needs them, and they take as long to load as all the rest.
      const [{ serveStdio }, { createMailServer }] = await Promise.all([
        import('@modelcontextprotocol/server/stdio'),
        import('../mcp/tools.ts'),
      ])
      const version = program.version() ?? ''
      const parts = { reader, scopes: key.scopes, smtp: null, url, version }
      serveStdio(() => createMailServer({ ...parts, random: secureRandom }))
    })
}
