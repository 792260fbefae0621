import { setTimeout as rest } from 'node:timers/promises'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import type { WatchedPrograms } from './watched-programs.ts'

const EVERY_MS = 100
const PAGE = 200
/** Mail that is unread for longer may be behind the newest page. */
const PAGE_MS = (PAGE * EVERY_MS) / 2
/** A blocked program does not respond. Longer than a mail may be parsed, because each attempt would be parsed again. */
const ATTEMPT_MS_MAX = 60_000

/** Sends a mail as a mail server does: again, until it is accepted. */
export async function sendUntilAccepted(
  { smtpPort }: Pick<WatchedPrograms, 'smtpPort'>,
  mail: { to: string; raw: Uint8Array },
  isOver: () => boolean = () => false,
): Promise<boolean> {
  while (!isOver()) {
    if (await Promise.race([isTaken(smtpPort, mail), rest(ATTEMPT_MS_MAX, false)])) return true
    await rest(EVERY_MS)
  }
  return false
}

async function isTaken(smtpPort: number, mail: { to: string; raw: Uint8Array }): Promise<boolean> {
  try {
    const client = await SmtpClient.connect(smtpPort)
    const reply = await client.send(mail)
    client.close()
    return isAccepted(reply)
  } catch {
    // The program is being restarted.
    return false
  }
}

/** Ordinary mail, ten a second, and when each could be read. */
export function startOtherMail(programs: WatchedPrograms) {
  const sentAt = new Map<string, number>()
  const readAt = new Map<string, number>()
  const accepted = new Set<string>()
  let isOver = false

  async function send(): Promise<void> {
    const sending: Promise<void>[] = []
    while (!isOver) {
      const tag = `other${sentAt.size}`
      sentAt.set(tag, Date.now())
      const raw = Buffer.from(`Subject: ${tag}\r\n\r\nHello\r\n`)
      sending.push(
        sendUntilAccepted(programs, { to: `others+${tag}@${programs.domain}`, raw }, () => isOver).then((isIn) => {
          if (isIn) accepted.add(tag)
        }),
      )
      await rest(EVERY_MS)
    }
    await Promise.all(sending)
  }

  async function look(): Promise<void> {
    try {
      await read({ limit: PAGE })
      // Mail that waited is behind the page of the newest.
      for (const tag of unread()) if (Date.now() - sentAt.get(tag)! > PAGE_MS) await read({ tag })
    } catch {
      // The program is being restarted.
    }
  }

  async function read(query: { limit?: number; tag?: string }): Promise<void> {
    const { data } = await programs.sdk.messages.list({ mailbox: 'others', ...query })
    for (const { tag } of data) if (tag !== null && !readAt.has(tag)) readAt.set(tag, Date.now())
  }

  async function keepLooking(): Promise<void> {
    while (!isOver) {
      await look()
      await rest(EVERY_MS)
    }
  }

  const working = [send(), keepLooking()]

  return {
    acceptedCount: () => accepted.size,
    /** Stops, waits for what was accepted, and reports. Mail that waited longer than `lateMs` is late, and so is lost mail. */
    async end(lateMs: number) {
      isOver = true
      await Promise.all(working)
      for (const until = Date.now() + lateMs; Date.now() < until && unread().length > 0; await rest(EVERY_MS))
        await look()
      const waits = [...accepted].map((tag) => (readAt.get(tag) ?? Date.now()) - sentAt.get(tag)!)
      const unaccepted = [...sentAt.keys()].filter(
        (tag) => !accepted.has(tag) && Date.now() - sentAt.get(tag)! > lateMs,
      )
      return {
        accepted: accepted.size,
        late: waits.filter((wait) => wait > lateMs).length + unaccepted.length,
        longestMs: Math.max(0, ...waits),
      }
    },
  }

  function unread(): string[] {
    return [...accepted].filter((tag) => !readAt.has(tag))
  }
}
