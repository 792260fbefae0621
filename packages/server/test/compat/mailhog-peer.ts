import { createHash } from 'node:crypto'
import type { ComparedPeer } from './comparison.ts'
import { comparedCalls } from './mailhog-calls.ts'
import { INTENDED_DIFFERENCES } from './mailhog-differences.ts'
import { comparedMail } from './mailhog-mails.ts'
import { mixedWithOdd } from './odd-mails.ts'

export const MAILHOG: ComparedPeer = {
  name: 'mailhog',
  mail: mixedWithOdd('mailhog', comparedMail),
  calls: comparedCalls,
  intended: INTENDED_DIFFERENCES,
  start: ({ port, smtpPort }) => [
    `-api-bind-addr=127.0.0.1:${port}`,
    `-ui-bind-addr=127.0.0.1:${port}`,
    `-smtp-bind-addr=127.0.0.1:${smtpPort}`,
  ],
  async newestId(url) {
    const response = await fetch(`${url}/api/v2/messages?limit=1`)
    const { items } = (await response.json()) as { items: { ID: string }[] }
    return items[0]?.ID
  },
  /** The messages of a page or search as their ids: what they contain is compared by other calls. */
  shorten({ path }, given) {
    if (path.endsWith('/download')) return given
    const body = withDigests(given)
    if (!path.startsWith('/api/v2') || typeof body !== 'object' || body === null || !('items' in body)) return body
    return { ...body, items: (body.items as { ID: string }[]).map(({ ID }) => ID) }
  },
  recorded: { mails: 50, calls: 160 },
}

/** Longer texts are recorded as digests, because a message has its mail three times. */
const TEXT_LENGTH_MAX = 400

function withDigests(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    if (typeof value !== 'string' || value.length <= TEXT_LENGTH_MAX) return value
    return `${value.length} characters, SHA-256 ${createHash('sha256').update(value).digest('base64')}`
  })
}
