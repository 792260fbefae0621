import type { MessageSummary } from '@mailhatch/sdk'
import { bytesOf, type Bucket } from '../../src/bucket/bucket.ts'
import { keysIn, rawKeyOf, readObject, sha256 } from '../support/stored-mail.ts'

/** By the tag of its address. */
export type SentMail = Map<string, { hash: string; isAccepted: boolean }>

export type Comparison = {
  sent: number
  accepted: number
  /** Mail whose 250 was never read but which is stored. */
  unasked: number
  /** Accepted mail that is not listed, or whose raw bytes are not stored. */
  lost: string[]
  /** Of these, those whose bytes are in no object, so that they can never be listed. */
  gone: string[]
  doubled: string[]
  altered: string[]
  unknown: string[]
  /** Stored objects that do not belong to exactly one message. */
  strayObjects: number
}

/** Object storage answers many reads at once faster than one after another. */
const READS_AT_ONCE = 16
const RAW_PREFIX = 'raw/'

/** Compares what was sent with the messages that the API lists and with their bytes in the bucket. */
export async function compareWithStored(
  sent: SentMail,
  messages: MessageSummary[],
  bucket: Pick<Bucket, 'get' | 'list'>,
): Promise<Comparison> {
  const counts = new Map<string, number>()
  const readable = new Set<string>()
  const altered: string[] = []
  const unknown: string[] = []

  async function check(message: MessageSummary): Promise<void> {
    const id = message.tag ?? ''
    counts.set(id, (counts.get(id) ?? 0) + 1)
    const mail = sent.get(id)
    if (!mail) return void unknown.push(message.to)
    const raw = await bucket.get(rawKeyOf(message))
    if (raw) readable.add(id)
    if (raw ? mail.hash !== sha256(await bytesOf(raw)) : !mail.isAccepted) altered.push(id)
  }

  for (let start = 0; start < messages.length; start += READS_AT_ONCE) {
    await Promise.all(messages.slice(start, start + READS_AT_ONCE).map(check))
  }
  const keys = await keysIn(bucket)
  const listed = new Set(messages.map(rawKeyOf))
  const unlisted = new Set<string>()
  for (const key of keys.filter((raw) => raw.startsWith(RAW_PREFIX) && !listed.has(raw))) {
    unlisted.add(sha256(await readObject(bucket, key)))
  }
  const accepted = [...sent].filter(([, mail]) => mail.isAccepted).map(([id]) => id)
  const lost = accepted.filter((id) => !readable.has(id))
  const found = [...counts.keys()]
  return {
    sent: sent.size,
    accepted: accepted.length,
    unasked: found.filter((id) => sent.get(id)?.isAccepted === false).length,
    lost,
    gone: lost.filter((id) => !unlisted.has(sent.get(id)!.hash)),
    doubled: found.filter((id) => counts.get(id)! > 1),
    altered,
    unknown,
    // One raw object and one metadata object per message.
    strayObjects: keys.length - 2 * messages.length,
  }
}
