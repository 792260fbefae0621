import { createHeldCounts } from '../domain/held-counts.ts'
import { bytesOf, type StoredObject } from '../bucket/bucket.ts'
import { ObjectsUnreachable, type MessageObjects } from '../bucket/message-objects.ts'
import { AppError, RETRY_SOON } from '../domain/errors.ts'
import { createKeyedSemaphore } from '../domain/semaphore.ts'
import { DIRECT_BYTES_MAX, type MailParser } from '../mime/mail-parser.ts'
import type { StoredMessage } from '../store/messages.ts'
import type { Park } from './parked-bytes.ts'

/** Attachments of large mail decoded at once. Each needs the mail and its own bytes in memory, up to 25 MiB each. */
const AT_ONCE_MAX = 2
/** Queued requests. More get 503 and should retry. */
const QUEUED_MAX = 200
/** Queued requests of one key, user or team, so that others get a place: as many as may download at once. */
const QUEUED_PER_READER_MAX = 20

/**
 * Downloads from large mail of one key, user or team (`who`) run one at a time, so that they do not delay others. Small mail
 * is decoded in less time than a turn takes.
 */
export type ContentReader = { who: string; isGone: () => boolean }

export type Contents = {
  /** The bytes as received. */
  raw(message: StoredMessage): Promise<StoredObject>
  /** The decoded bytes; null if the mail has no such attachment or the client is gone. */
  attachment(message: StoredMessage, index: number, reader: ContentReader): Promise<StoredObject | null>
  /** Several attachments of one mail by index, in memory, without those that are missing. */
  attachments(
    message: StoredMessage,
    indexes: number[],
    reader: Pick<ContentReader, 'who'>,
  ): Promise<Map<number, Uint8Array>>
}

/**
 * `objects` is null if this program has no access to the bucket. Decoding ends when the bytes are parked (`park`), so a
 * slow client does not block others.
 */
export function createContents(
  objects: MessageObjects | null,
  parser: Pick<MailParser, 'attachment'>,
  park: Park,
): Contents {
  const limited = createKeyedSemaphore(AT_ONCE_MAX)
  const queued = createHeldCounts()

  async function raw({ id, domain, objectMailbox: mailbox }: StoredMessage): Promise<StoredObject> {
    const object = await objects?.raw({ id, domain, mailbox }).catch(explainUnreachable)
    if (!object) throw new AppError('raw_unavailable', 'This server has no raw copy of the message.')
    return object
  }

  /** `work` gets the bytes of the mail when it is its turn. */
  async function decoding<Result>(
    message: StoredMessage,
    who: string,
    work: (read: () => Promise<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    const object = await raw(message)
    if (object.size <= DIRECT_BYTES_MAX) {
      const bytes = await bytesOf(object)
      return work(async () => bytes)
    }
    await object.stream.cancel()
    if (queued.total() >= QUEUED_MAX || queued.of(who) >= QUEUED_PER_READER_MAX) {
      throw new AppError('server_busy', 'Too many attachment downloads are waiting. Try again in a moment.', RETRY_SOON)
    }
    queued.add(who)
    return limited(who, () => {
      queued.remove(who)
      return work(async () => bytesOf(await raw(message)))
    })
  }

  return {
    raw,
    attachment: (message, index, { who, isGone }) =>
      decoding(message, who, async (read) => {
        const found = isGone() ? null : await parser.attachment(await read(), { index })
        return found && !isGone() ? park(found.bytes) : null
      }),
    attachments: (message, indexes, { who }) =>
      decoding(message, who, async (read) => {
        const bytes = await read()
        const all = new Map<number, Uint8Array>()
        for (const index of indexes) {
          // The parser takes ownership of its input.
          const found = await parser.attachment(new Uint8Array(bytes), { index })
          if (found) all.set(index, found.bytes)
        }
        return all
      }),
  }
}

function explainUnreachable(error: unknown): never {
  if (!(error instanceof ObjectsUnreachable)) throw error
  throw new AppError('worker_unreachable', 'The inbox worker, which keeps the raw mail, cannot be reached.')
}
