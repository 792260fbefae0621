import type { ComparedPeer } from './comparison.ts'
import { comparedCalls } from './mailpit-calls.ts'
import { INTENDED_DIFFERENCES } from './mailpit-differences.ts'
import { withMoreRecipients } from './mailpit-mails.ts'
import { mixedWithOdd } from './odd-mails.ts'

type File = { PartID: string }

export const MAILPIT: ComparedPeer = {
  name: 'mailpit',
  mail: mixedWithOdd('mailpit', withMoreRecipients),
  calls: comparedCalls,
  intended: INTENDED_DIFFERENCES,
  start: ({ port, smtpPort }) => [
    `--listen=127.0.0.1:${port}`,
    `--smtp=127.0.0.1:${smtpPort}`,
    '--quiet',
    '--disable-version-check',
    '--max=0',
  ],
  async newestId(url) {
    const response = await fetch(`${url}/api/v1/messages?limit=1`)
    const { messages } = (await response.json()) as { messages: { ID: string }[] }
    return messages[0]?.ID
  },
  async fileNames(url, id) {
    const message = (await (await fetch(`${url}/api/v1/message/${id}`)).json()) as Record<
      'Inline' | 'Attachments',
      File[]
    >
    return [...message.Inline, ...message.Attachments].map(({ PartID }) => PartID)
  },
  /** The messages of a search as their ids: what a list says of a message is compared by other calls. */
  shorten({ path }, body) {
    if (path === '/api/v1/info') return withoutUptime(body as Info)
    // Pictures are not texts, and thumbnails are made in another way.
    if (path.endsWith('/thumb')) return null
    if (!path.startsWith('/api/v1/search') || typeof body !== 'object' || body === null) return body
    if (!('messages' in body)) return body
    return { ...body, messages: (body.messages as { ID: string }[]).map(({ ID }) => ID) }
  },
  recorded: { mails: 50, calls: 240 },
}

type Info = { RuntimeStats?: { Uptime?: number } }

/** Seconds, which are the same only by chance. */
function withoutUptime(info: Info): unknown {
  const stats = { ...info.RuntimeStats }
  delete stats.Uptime
  return { ...info, RuntimeStats: stats }
}
