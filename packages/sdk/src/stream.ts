import { sleep, RequestTimeout } from './abort.ts'
import { anything, checkOptions, type OptionChecks } from './options.ts'
import type { MessageFilter } from './query.ts'
import { serverSentEvents } from './server-sent-events.ts'
import { isTransient, jittered, retryDelay, type Call, type Transport } from './transport.ts'
import type { Me, MessageSummary } from './wire.ts'

/** The server pings every 10 seconds; a connection that is silent for this long is dead. */
const SILENCE_MS_MAX = 25_000
const RECONNECT_MS = 250
const RECONNECT_MS_MAX = 5_000

export type StreamOptions = { signal?: AbortSignal }

const STREAM_OPTIONS: OptionChecks<StreamOptions> = { signal: anything }

/** Messages as they become visible, from now on or after the cursor in the filter. */
export function streamMessages(
  transport: Transport,
  filter: MessageFilter,
  options: StreamOptions,
): AsyncGenerator<MessageSummary> {
  const { signal } = checkOptions('stream', options, STREAM_OPTIONS)
  // Requested at once, so that the stream starts when it is opened and not when it is first read.
  const start = startOf(transport, filter, signal)
  start.catch(() => undefined)
  return follow(transport, filter, { start, signal })
}

async function startOf(transport: Transport, { after, since }: MessageFilter, signal: AbortSignal | undefined) {
  if (after !== undefined || since !== undefined) return after
  return (await transport.data<Me>({ path: '/v1/me', signal })).cursor
}

type Following = { start: Promise<string | undefined>; signal: AbortSignal | undefined }

/** Reconnects and resumes after the last message whenever the connection is lost. */
async function* follow(
  transport: Transport,
  filter: MessageFilter,
  { start, signal }: Following,
): AsyncGenerator<MessageSummary> {
  let cursor = await start
  let wasConnected = false
  for (let delayMs = RECONNECT_MS; ; delayMs = Math.min(delayMs * 2, RECONNECT_MS_MAX)) {
    const call = { path: '/v1/messages/stream', query: { ...filter, after: cursor }, signal }
    let waitMs = jittered(delayMs)
    try {
      for await (const { event, data } of connection(transport, call)) {
        wasConnected = true
        delayMs = RECONNECT_MS
        if (event !== 'message.received') continue
        // The server sends this shape for this event.
        const message = JSON.parse(data) as MessageSummary
        cursor = message.cursor
        yield message
      }
    } catch (error) {
      // Before the first connection, report errors such as a wrong url. Afterwards, wait for the server to come back.
      if (!wasConnected || !isTransient(error)) throw error
      waitMs = retryDelay(error, delayMs)
    }
    await sleep(waitMs, signal)
  }
}

async function* connection(transport: Transport, call: Call) {
  const controller = new AbortController()
  const abort = () => controller.abort(call.signal!.reason)
  let silence: ReturnType<typeof setTimeout> | undefined
  const resetTimer = () => {
    clearTimeout(silence)
    silence = setTimeout(() => controller.abort(new RequestTimeout()), SILENCE_MS_MAX)
  }
  call.signal?.throwIfAborted()
  call.signal?.addEventListener('abort', abort)
  try {
    resetTimer()
    const response = await transport.ask({ ...call, headers: { accept: 'text/event-stream' } }, controller.signal)
    yield* serverSentEvents(textOf(response, resetTimer))
  } catch (error) {
    call.signal?.throwIfAborted()
    throw transport.failureOf(controller.signal.aborted ? controller.signal.reason : error, SILENCE_MS_MAX)
  } finally {
    clearTimeout(silence)
    call.signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}

/** Uses a reader, because not every browser can iterate over a body. */
async function* textOf({ body }: Response, resetTimer: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body!.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    resetTimer()
    yield decoder.decode(value, { stream: true })
  }
}
