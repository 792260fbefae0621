import type { StoredSummary } from '../store/messages.ts'
import { isoTime, presentSummary } from './present.ts'

/** Can be short, because clients add their own delay and so do not all reconnect at once after a restart. */
const RETRY_MS = 2_000
const RETRY_AFTER_SHUTDOWN_MS = 1_000

// Some line readers treat these as line ends. JSON and the event stream standard do not.
const ODD_LINE_ENDS = /[\u0085\u2028\u2029]/g

export function connectedFrame(now: number): Buffer {
  return Buffer.from(`retry: ${RETRY_MS}\n` + frame('connected', { timestamp: isoTime(now) }))
}

export function messageFrame(message: StoredSummary): Buffer {
  const summary = presentSummary(message)
  return Buffer.from(frame('message.received', summary, summary.cursor))
}

export const PING_FRAME = Buffer.from(frame('ping', {}))

export const RECONNECT_FRAME = Buffer.from(`retry: ${RETRY_AFTER_SHUTDOWN_MS}\n\n`)

function frame(event: string, data: object, id?: string): string {
  const json = JSON.stringify(data).replace(
    ODD_LINE_ENDS,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`
}
