import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))

export type Server = { url: string; apiKey: string }
/** `current` uses the newest revision of the protocol, `legacy` that of 2025. */
export type Era = 'current' | 'legacy'

type Untrusted = {
  subject: string
  from_name: string
  text: string
  headers: string[]
  links: { url: string }[]
  attachments: { file_name: string }[]
}
export type Email = { id: string; links_left_out: number; untrusted: Untrusted }
/** What the tools return; each returns some of it. */
export type Data = Email & {
  provenance: string
  address: string
  smtp: { host: string; port: number } | null
  cursor: string
  next_cursor: string
  email: Email
  emails: Email[]
  rejections: object[]
  text_characters_left_out: number
}
/** A result as agents receive it. */
export type Result = { text: string; data: Data; isError: boolean; content: object[] }

/** The official client over HTTP. Closed when the test ends. */
export function connectOverHttp({ url, apiKey }: Server, era: Era = 'current', send = fetch) {
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } }
  return connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, fetch: send }), era)
}

/** The official client with its own `mailhatch mcp`, over standard input and output. */
export function connectOverStdio({ url, apiKey }: Server, era: Era = 'current') {
  const env = { PATH: process.env['PATH'] ?? '', MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey }
  const args = [PROGRAM, 'mcp']
  return connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }), era)
}

/** One raw request, as a client of 2025 sends it. */
export function postMcp({ url, apiKey }: Server, message: object | string, headers: Record<string, string> = {}) {
  const accept = 'application/json, text/event-stream'
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${apiKey}`, ...headers },
    body: typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
}

async function connect(transport: Transport, era: Era) {
  const versionNegotiation = { mode: era === 'current' ? 'auto' : 'legacy' } as const
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    async call(name: string, given: Record<string, unknown> = {}): Promise<Result> {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: given })
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      // A missing field fails the test that reads it.
      return { text, data: structuredContent as Data, isError: isError === true, content }
    },
  }
}

export type Connection = Awaited<ReturnType<typeof connectOverHttp>>
