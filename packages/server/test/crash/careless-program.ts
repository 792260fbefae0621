import type { Bucket, NewObject } from '../../src/bucket/bucket.ts'
import type { AcceptAnnouncement } from '../../src/intake/accept-announcement.ts'
import type { removeMessages } from '../../src/manage/removal.ts'
import { newId } from '../../src/random.ts'

/** One in so many mails is stored with another byte, one in so many twice, and one in so many deletions is not made. */
const EVERY = 5

/**
 * A bucket without protection: half of its failed puts count as done, the put after another failure fails too, one mail
 * in five is changed, and an object that could not be read once is never read again.
 */
export function carelessBucket(bucket: Bucket, unreadable: Set<string>): Bucket {
  let puts = 0
  let failures = 0
  let isBroken = false

  async function put(objects: NewObject[]): Promise<void> {
    if (isBroken) {
      isBroken = false
      throw new Error('The bucket has not recovered.')
    }
    await bucket.put(puts++ % EVERY === 0 ? objects.map(withOtherByte) : objects).catch((error: unknown) => {
      if (failures++ % 2 === 0) return
      isBroken = true
      throw error
    })
  }

  async function get(key: string) {
    if (unreadable.has(key)) throw new Error(`${key} could not be read before.`)
    return bucket.get(key).catch((error: unknown) => {
      unreadable.add(key)
      throw error
    })
  }

  return { ...bucket, put, get }
}

function withOtherByte({ key, body }: NewObject): NewObject {
  if (!key.startsWith('raw/') || !(body instanceof Uint8Array)) return { key, body }
  return { key, body: body.map((byte, at) => (at === 9 ? byte ^ 1 : byte)) }
}

/** Stores one mail in five twice. */
export function doubling(accept: AcceptAnnouncement): AcceptAnnouncement {
  let count = 0
  return async (announcement) => {
    const accepted = await accept(announcement)
    // What the worker announces is an object with an id.
    if (count++ % EVERY === 0) await accept({ ...(announcement as object), id: newId(Date.now()) })
    return accepted
  }
}

/** Takes one deletion in five as done, and never makes one that has failed once. */
export function carelessRemoval(remove: typeof removeMessages): typeof removeMessages {
  let count = 0
  const failed = new Set<string>()
  return async (ports, teamId, positions) => {
    const messages = `${teamId} ${positions.join()}`
    if (failed.has(messages)) throw new Error('These messages could not be deleted before.')
    if (count++ % EVERY === 0) return positions.length
    return remove(ports, teamId, positions).catch((error: unknown) => {
      failed.add(messages)
      throw error
    })
  }
}
