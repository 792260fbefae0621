import { createTransport } from 'nodemailer'
import type { ComparedCall } from './mailpit-calls.ts'
import type { ComparedMail } from './mailpit-mails.ts'

/** What a server answered, with `{3}` for the id of the mail with that number. */
export type ComparedAnswer = { status: number; body: unknown }

export type ComparedServer = { url: string; smtpPort: number }

/** Sends the mails one after another, and returns the ids that the server gives them. */
export async function sendAll({ url, smtpPort }: ComparedServer, mails: ComparedMail[]): Promise<string[]> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    pool: true,
    maxConnections: 1,
    maxMessages: Infinity,
  })
  const ids: string[] = []
  try {
    for (const { from, to, raw } of mails) {
      await transport.sendMail({ envelope: { from, to }, raw })
      ids.push(await newestId(url, ids.at(-1)))
    }
  } finally {
    transport.close()
  }
  return ids
}

/** Waits for the message: visible after the one before, so that both servers agree about their order. */
async function newestId(url: string, before: string | undefined): Promise<string> {
  for (;;) {
    const response = await fetch(`${url}/api/v1/messages?limit=1`)
    const { messages } = (await response.json()) as { messages: { ID: string }[] }
    const id = messages[0]?.ID
    if (id !== undefined && id !== before) return id
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export async function callServer(
  url: string,
  { method, path, body }: ComparedCall,
  ids: string[],
): Promise<ComparedAnswer> {
  const withIds = (text: string) => text.replaceAll(/\{(\d+)\}/g, (_, number: string) => ids[Number(number)]!)
  const response = await fetch(`${url}${withIds(path)}`, {
    method,
    ...(body !== undefined && { body: withIds(JSON.stringify(body)) }),
  })
  const text = await response.text()
  const numbers = new Map(ids.map((id, number) => [id, `{${number}}`]))
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const parsed: unknown = isJson
    ? JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? (numbers.get(value) ?? value) : value))
    : text
  return { status: response.status, body: path.startsWith('/api/v1/search') ? withoutDetails(parsed) : parsed }
}

/** The messages of a search as their ids: what a list says of a message is compared by other calls. */
function withoutDetails(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('messages' in body)) return body
  const messages = (body.messages as { ID: string }[]).map(({ ID }) => ID)
  return { ...body, messages }
}

/** The size of the recording. */
export const RECORDED = { mails: 30, calls: 220 }
