import { bytesOf, type StoredObject } from '../bucket/bucket.ts'
import { ObjectsUnreachable, type MessageObjects } from '../bucket/message-objects.ts'
import { AppError } from '../domain/errors.ts'
import { createTurnsOf } from '../domain/turns.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { StoredMessage } from '../store/store.ts'
import type { Park } from './parked-bytes.ts'

/** Attachments that are being decoded at once; each needs its mail and its own bytes, 25 MiB each. */
const AT_ONCE_MAX = 8
/** Requests that wait for their turn. More get 503 and should retry. */
const WAITING_MAX = 200
/** Of one key, person or team, so that others find a place: as many as may download at once. */
const WAITING_OF_ONE_MAX = 20

/** One after another for each: many downloads of one key, person or team do not keep others waiting. */
export type Reader = { who: string; isGone: () => boolean }

export type Contents = {
  /** The bytes as they were received. */
  raw(message: StoredMessage): Promise<StoredObject>
  /** Its bytes, decoded; null when it cannot be found in the mail, or when nobody waits for it any more. */
  attachment(message: StoredMessage, index: number, reader: Reader): Promise<StoredObject | null>
  /** Several of one mail, by index, in memory; without those that cannot be found. */
  attachments(message: StoredMessage, indexes: number[], reader: Pick<Reader, 'who'>): Promise<Map<number, Uint8Array>>
}

/**
 * `objects` is null where this program does not reach the bucket. A turn ends when the bytes are decoded and parked
 * (`park`): however slowly a reader takes them, it holds up nobody else.
 */
export function createContents(
  objects: MessageObjects | null,
  parser: Pick<MailParser, 'attachment'>,
  park: Park,
): Contents {
  const inTurn = createTurnsOf(AT_ONCE_MAX)
  const waiting: string[] = []

  async function raw({ id, domain, objectMailbox: mailbox }: StoredMessage): Promise<StoredObject> {
    const object = await objects?.raw({ id, domain, mailbox }).catch(explainUnreachable)
    if (!object) throw new AppError('raw_unavailable', 'The raw mail of this message is not to be had here.')
    return object
  }

  async function decoding<Result>(who: string, work: () => Promise<Result>): Promise<Result> {
    const ofOne = waiting.filter((name) => name === who).length
    if (waiting.length >= WAITING_MAX || ofOne >= WAITING_OF_ONE_MAX) {
      throw new AppError('server_busy', 'Too many attachment downloads are waiting. Try again in a moment.', SOON)
    }
    waiting.push(who)
    return inTurn(who, () => {
      waiting.splice(waiting.indexOf(who), 1)
      return work()
    })
  }

  return {
    raw,
    attachment: (message, index, { who, isGone }) =>
      decoding(who, async () => {
        const found = isGone() ? null : await parser.attachment(await bytesOf(await raw(message)), { index })
        return found && !isGone() ? park(found.bytes) : null
      }),
    attachments: (message, indexes, { who }) =>
      decoding(who, async () => {
        const bytes = await bytesOf(await raw(message))
        const all = new Map<number, Uint8Array>()
        for (const index of indexes) {
          // The parser keeps what it is given.
          const found = await parser.attachment(new Uint8Array(bytes), { index })
          if (found) all.set(index, found.bytes)
        }
        return all
      }),
  }
}

const SOON = { headers: { 'retry-after': '1' } }

function explainUnreachable(error: unknown): never {
  if (!(error instanceof ObjectsUnreachable)) throw error
  throw new AppError('worker_unreachable', 'The inbox worker, which keeps the raw mail, cannot be reached.')
}
