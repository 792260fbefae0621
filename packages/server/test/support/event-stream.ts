import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { MessageSummary } from '@mailhatch/sdk'
import { expect, onTestFinished } from 'vitest'

export type EventStream = {
  status: number
  headers: IncomingHttpHeaders
  /** All received bytes. */
  text(): string
  messages: MessageSummary[]
  /** Ids of the messages, in order. */
  cursors: string[]
  subjects(): string[]
  /** How the server closed it. After a clean end the connection can be reused. */
  closed: Promise<'ended' | 'cut'>
  pause(): void
  resume(): void
  destroy(): void
}

export type StreamQuestion = { key: string; lastEventId?: string; headers?: Record<string, string> }

const FRAME =
  /^(?:(?:retry: 2000\n)?event: (?<event>[a-z.]+)\n(?:id: (?<id>[\w-]{1,64})\n)?data: (?<data>\{.*\})|retry: 1000)$/

/** Follows a stream until it is closed or the test ends. */
export async function openEvents(
  url: string,
  { key, lastEventId, headers = {} }: StreamQuestion,
): Promise<EventStream> {
  const resuming: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const question = request(url, { headers: { authorization: `Bearer ${key}`, ...resuming, ...headers }, agent: false })
  // A connection that is reset after the response has begun is an error of the request too.
  question.on('error', () => {})
  question.end()
  onTestFinished(() => void question.destroy())
  // The argument of a `response` listener.
  const [response] = (await once(question, 'response')) as [IncomingMessage]
  const messages: MessageSummary[] = []
  const cursors: string[] = []
  let text = ''
  const read = createFrameReader(({ event, id, data }) => {
    if (event !== 'message.received') return
    messages.push(data as MessageSummary)
    cursors.push(id!)
  })
  response.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    if (response.statusCode === 200) read(bytes)
  })
  const closed = new Promise<'ended' | 'cut'>((resolve) => {
    response.on('error', () => {})
    response.on('close', () => resolve(response.complete ? 'ended' : 'cut'))
  })
  return {
    status: response.statusCode!,
    headers: response.headers,
    text: () => Buffer.from(text, 'latin1').toString(),
    messages,
    cursors,
    subjects: () => messages.map(({ subject }) => subject),
    closed,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    destroy: () => void question.destroy(),
  }
}

export type ReadFrame = { event: string | null; id: string | null; data: unknown }

/** Reads the bytes of a stream in any chunks. Anything that is not exactly one of our frames fails the test. */
export function createFrameReader(onFrame: (frame: ReadFrame) => void): (bytes: Buffer) => void {
  let unfinished: Buffer = Buffer.alloc(0)
  return (bytes) => {
    const all = unfinished.length > 0 ? Buffer.concat([unfinished, bytes]) : bytes
    const end = all.lastIndexOf('\n\n')
    unfinished = end < 0 ? all : all.subarray(end + 2)
    if (end < 0) return
    for (const frame of all.toString('utf8', 0, end).split('\n\n')) {
      const fields = FRAME.exec(frame)?.groups
      if (!fields) expect.fail(`not a frame: ${JSON.stringify(frame)}`)
      const { event = null, id = null, data } = fields
      onFrame({ event, id, data: data === undefined ? null : JSON.parse(data) })
    }
  }
}
