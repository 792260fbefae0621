import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A server that can send any response in any form. */
export const BODY_KINDS = ['ours', 'other code', 'html', 'empty'] as const
export type BodyKind = (typeof BODY_KINDS)[number]

const BODIES: Record<BodyKind, string> = {
  ours: JSON.stringify({ error: 'Mailbox not configured', code: 'mailbox_unknown', requestId: 'r' }),
  'other code': JSON.stringify({ error: 'Not found', code: 'not_found', requestId: 'r' }),
  html: '<html><body><h1>404 Not Found</h1><p>"code":"mailbox_unknown"</p></body></html>',
  empty: '',
}

/** The only response with a Location. */
export const REDIRECT = [308, 'html'] as const
export const REDIRECT_HOST = 'https://mail-api.example.com'

/**
 * An API whose response to an announcement is named by the local part of its recipient, such as `s308-html`. Written byte by
 * byte, because a Node server does not send some statuses. `answer` changes the response for one local part.
 */
export async function startAnsweringApi() {
  const overrides = new Map<string, number>()
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      const isWhole = /transfer-encoding: chunked/i.test(text)
        ? text.endsWith('0\r\n\r\n')
        : end >= 0 && text.length >= end + 4 + length
      if (!isWhole) return
      const name = /"mailbox":"([^"]+)"/.exec(text)?.[1] ?? ''
      received.push(name)
      socket.end(answerFor(name, overrides.get(name)))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks/inbox`,
    received,
    answer: (name: string, status: number) => overrides.set(name, status),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export function nameFor(status: number, kind: BodyKind): string {
  return `s${status}-${kind.replace(' ', '.')}`
}

function answerFor(name: string, override: number | undefined): string {
  const [, given, kindName] = /^s(\d+)-(.+)$/.exec(name) ?? ['', '200', 'empty']
  const status = override ?? Number(given)
  const body = BODIES[kindName?.replace('.', ' ') as BodyKind] ?? ''
  const location =
    name === nameFor(...REDIRECT) && override === undefined
      ? `Location: ${REDIRECT_HOST}/webhooks/inbox?secret=1\r\n`
      : ''
  const hasBody = status >= 200 && status !== 204 && status !== 304
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Odd'}\r\n${location}Connection: close\r\n`
  return hasBody ? `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` : `${head}\r\n`
}
