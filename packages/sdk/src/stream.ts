import { sleep, TimeUp } from './abort.ts'
import type { MessageFilter } from './query.ts'
import { serverSentEvents } from './server-sent-events.ts'
import { isPassing, jittered, type Call, type Transport } from './transport.ts'
import type { Me, MessageSummary } from './wire.ts'

/** The server says something every 10 seconds; a connection that is silent for longer is dead. */
const SILENCE_MS_MAX = 25_000
const RECONNECT_MS = 250
const RECONNECT_MS_MAX = 5_000

export type StreamOptions = { signal?: AbortSignal }

/** Messages as they become visible, from now or from the place that the filter names. */
export function streamMessages(
  transport: Transport,
  filter: MessageFilter,
  { signal }: StreamOptions,
): AsyncGenerator<MessageSummary> {
  // Asked for at once: the stream starts where it was opened, not where it is first read.
  const start = startOf(transport, filter, signal)
  start.catch(() => undefined)
  return follow(transport, filter, { start, signal })
}

async function startOf(transport: Transport, { after, since }: MessageFilter, signal: AbortSignal | undefined) {
  if (after !== undefined || since !== undefined) return after
  return (await transport.data<Me>({ path: '/v1/me', signal })).cursor
}

type Following = { start: Promise<string | undefined>; signal: AbortSignal | undefined }

/** Goes on after the last message seen, however often the connection is cut. */
async function* follow(
  transport: Transport,
  filter: MessageFilter,
  { start, signal }: Following,
): AsyncGenerator<MessageSummary> {
  let place = await start
  let wasConnected = false
  for (let delayMs = RECONNECT_MS; ; delayMs = Math.min(delayMs * 2, RECONNECT_MS_MAX)) {
    const call = { path: '/v1/messages/stream', query: { ...filter, after: place }, signal }
    let waitMs = jittered(delayMs)
    try {
      for await (const { event, data } of connection(transport, call)) {
        wasConnected = true
        delayMs = RECONNECT_MS
        if (event !== 'message.received') continue
        // What the server sends under this name.
        const message = JSON.parse(data) as MessageSummary
        place = message.cursor
        yield message
      }
    } catch (error) {
      // A wrong url should be heard of; a server that restarts comes back.
      if (!wasConnected || !isPassing(error)) throw error
      waitMs = error.retryAfterMs ?? waitMs
    }
    await sleep(waitMs, signal)
  }
}

async function* connection(transport: Transport, call: Call) {
  const controller = new AbortController()
  const abort = () => controller.abort(call.signal!.reason)
  let silence: ReturnType<typeof setTimeout> | undefined
  const hear = () => {
    clearTimeout(silence)
    silence = setTimeout(() => controller.abort(new TimeUp()), SILENCE_MS_MAX)
  }
  call.signal?.throwIfAborted()
  call.signal?.addEventListener('abort', abort)
  try {
    hear()
    const response = await transport.ask({ ...call, headers: { accept: 'text/event-stream' } }, controller.signal)
    yield* serverSentEvents(textOf(response, hear))
  } catch (error) {
    call.signal?.throwIfAborted()
    throw transport.failureOf(controller.signal.aborted ? controller.signal.reason : error, SILENCE_MS_MAX)
  } finally {
    clearTimeout(silence)
    call.signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}

/** By a reader, because not every browser can iterate over a body. */
async function* textOf({ body }: Response, hear: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body!.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    hear()
    yield decoder.decode(value, { stream: true })
  }
}
