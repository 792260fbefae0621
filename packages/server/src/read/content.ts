import { bytesOf, type StoredObject } from '../bucket/bucket.ts'
import { ObjectsUnreachable, type MessageObjects } from '../bucket/message-objects.ts'
import { AppError } from '../domain/errors.ts'
import { createTurns } from '../domain/turns.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { StoredMessage } from '../store/store.ts'

/** Attachments in memory at once, from the reading of their mail until they are sent; each may have 25 MiB. */
const AT_ONCE_MAX = 16
/** Who wait for their turn; more are told to come back. */
const WAITING_MAX = 200

export type Contents = {
  /** The bytes as they were received. */
  raw(message: StoredMessage): Promise<StoredObject>
  /**
   * Its bytes, decoded; null when it cannot be found in the mail, or when nobody waits for it any more. `sent` is
   * asked for a promise of the moment from which they need not be kept.
   */
  attachment(
    message: StoredMessage,
    index: number,
    reader: { isGone: () => boolean; sent: () => Promise<void> },
  ): Promise<Uint8Array | null>
}

/** `objects` is null where this program does not reach the bucket. */
export function createContents(objects: MessageObjects | null, parser: Pick<MailParser, 'attachment'>): Contents {
  const inTurn = createTurns(AT_ONCE_MAX)
  let waiting = 0

  async function raw({ id, domain, objectMailbox: mailbox }: StoredMessage): Promise<StoredObject> {
    const object = await objects?.raw({ id, domain, mailbox }).catch(explainUnreachable)
    if (!object) throw new AppError('raw_unavailable', 'The raw mail of this message is not to be had here.')
    return object
  }

  return {
    raw,
    attachment(message, index, { isGone, sent }) {
      if (waiting >= WAITING_MAX) throw new AppError('server_busy', 'Too many attachments are asked for at once.', SOON)
      waiting++
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>()
      inTurn(async () => {
        waiting--
        const found = isGone() ? null : await parser.attachment(await bytesOf(await raw(message)), { index })
        resolve(found && found.bytes)
        if (found) await sent()
      }).catch(reject)
      return promise
    },
  }
}

const SOON = { headers: { 'retry-after': '1' } }

function explainUnreachable(error: unknown): never {
  if (!(error instanceof ObjectsUnreachable)) throw error
  throw new AppError('worker_unreachable', 'The inbox worker, which keeps the raw mail, cannot be reached.')
}
