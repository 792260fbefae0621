import type { Command } from 'commander'
import { askOverNetwork, createMailReader } from '../mcp/mail-reader.ts'
import { secureRandom } from '../random.ts'
import { clientOf, findConnection, withConnection } from './connection.ts'
import { examples } from './examples.ts'

export function addMcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description('Run an MCP server on standard input and output, with tools for AI agents to read mail.')
  withConnection(command)
    .addHelpText(
      'after',
      `\nGive the agent a key that is limited to one mailbox: mailhatch keys create --name agent --mailbox qa\n${examples(
        'mailhatch mcp',
      )}`,
    )
    .action(async () => {
      const connection = findConnection(command)
      const mailhatch = clientOf(connection)
      const { url } = mailhatch
      // clientOf throws without a key.
      const apiKey = connection.apiKey!.value
      const reader = createMailReader(askOverNetwork({ url, apiKey }))
      // Check before an agent connects, so that the user sees a wrong URL or key.
      const { key } = await mailhatch.me()
      // Imported on demand: they take as long to load as everything else together.
      const [{ serveStdio }, { createMailServer }] = await Promise.all([
        import('@modelcontextprotocol/server/stdio'),
        import('../mcp/tools.ts'),
      ])
      const version = program.version() ?? ''
      const parts = { reader, scopes: key.scopes, smtp: null, url, version }
      serveStdio(() => createMailServer({ ...parts, random: secureRandom }))
    })
}
