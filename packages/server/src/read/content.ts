import { bytesOf, type StoredObject } from '../bucket/bucket.ts'
import { ObjectsUnreachable, type MessageObjects } from '../bucket/message-objects.ts'
import { AppError } from '../domain/errors.ts'
import { createTurns } from '../domain/turns.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { StoredMessage } from '../store/store.ts'

/** Mails in memory at once to take an attachment out of; each may have 25 MiB. */
const READ_AT_ONCE_MAX = 4

export type Contents = {
  /** The bytes as they were received. */
  raw(message: StoredMessage): Promise<StoredObject>
  /** Its bytes, decoded. Null when it cannot be found in the mail, or when nobody waits for it any more. */
  attachment(message: StoredMessage, index: number, isGone: () => boolean): Promise<Uint8Array | null>
}

/** `objects` is null where this program does not reach the bucket. */
export function createContents(objects: MessageObjects | null, parser: Pick<MailParser, 'attachment'>): Contents {
  const inTurn = createTurns(READ_AT_ONCE_MAX)

  async function raw({ id, domain, objectMailbox: mailbox }: StoredMessage): Promise<StoredObject> {
    const object = await objects?.raw({ id, domain, mailbox }).catch(explainUnreachable)
    if (!object) throw new AppError('raw_unavailable', 'The raw mail of this message is not to be had here.')
    return object
  }

  return {
    raw,
    attachment: (message, index, isGone) =>
      inTurn(async () => {
        if (isGone()) return null
        const found = await parser.attachment(await bytesOf(await raw(message)), { index })
        return found && found.bytes
      }),
  }
}

function explainUnreachable(error: unknown): never {
  if (!(error instanceof ObjectsUnreachable)) throw error
  throw new AppError('worker_unreachable', 'The inbox worker, which keeps the raw mail, cannot be reached.')
}
