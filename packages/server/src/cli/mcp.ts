import { Option, type Command } from 'commander'
import { askOverNetwork, createMailReader } from '../mcp/mail-reader.ts'
import { secureRandom } from '../random.ts'

type McpOptions = { url: string; apiKey: string }

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('Give an AI agent the tools to read mail: MCP over standard input and output.')
    .addOption(
      new Option('--url <url>', 'address of the Mailhatch server')
        .env('MAILHATCH_URL')
        .default('http://localhost:3003'),
    )
    .addOption(
      new Option('--api-key <key>', 'best one that is bound to a mailbox')
        .env('MAILHATCH_API_KEY')
        .makeOptionMandatory(),
    )
    .addHelpText('after', '\nExample:\n  MAILHATCH_API_KEY=mh_… mailhatch mcp --url http://localhost:3003')
    .action(async ({ url, apiKey }: McpOptions) => {
      const reader = createMailReader(askOverNetwork({ url, apiKey }))
      // Before an agent connects, so that a wrong address or key is told to the person who set it up.
      const { key } = await reader.me()
      // Only this command needs them, and they take as long to load as all the rest.
      const [{ serveStdio }, { createMailServer }] = await Promise.all([
        import('@modelcontextprotocol/server/stdio'),
        import('../mcp/tools.ts'),
      ])
      const version = program.version() ?? ''
      const parts = { reader, scopes: key.scopes, smtp: null, url: url.replace(/\/+$/, ''), version }
      serveStdio(() => createMailServer({ ...parts, random: secureRandom }))
    })
}
