import { parseMetadataKey } from '../../src/domain/object-keys.ts'
import type * as AnnounceStoredModule from '../../src/worker/announce-stored.ts'

type Attempts = { count: number; isOver: boolean }

/** Of the announcers of all programs in this process, by mailbox. */
const attempts = new Map<string, Attempts>()

/** The attempts that have ended for the mail of a mailbox, and whether there is nothing left to announce. */
export function attemptsAt(mailbox: string): Attempts {
  return attempts.get(mailbox) ?? { count: 0, isOver: false }
}

/** The module with its attempts counted. */
export function countingAttempts(original: typeof AnnounceStoredModule): typeof AnnounceStoredModule {
  async function count<Result extends { outcome: string }>(mailbox: string, attempt: Promise<Result>): Promise<Result> {
    let isOver = false
    try {
      const result = await attempt
      isOver = result.outcome === 'processed' || result.outcome === 'gone'
      return result
    } finally {
      attempts.set(mailbox, { count: attemptsAt(mailbox).count + 1, isOver })
    }
  }
  return {
    ...original,
    announceMail: (ports, mail, options) => count(mail.metadata.mailbox, original.announceMail(ports, mail, options)),
    announceStored: (ports, key, isByHand) =>
      count(parseMetadataKey(key)!.mailbox, original.announceStored(ports, key, isByHand)),
  }
}
