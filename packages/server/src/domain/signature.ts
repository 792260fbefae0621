import type { Header } from '@mailhatch/sdk'
import type { Matchable, MessageFilter, Needle } from './match.ts'

/**
 * The signature of a message is a set of slots: every three code units of its text, and every header as a whole, are
 * hashed to slots. A message that contains a text has all slots of that text. A message that has them all may contain
 * it.
 */

/** For subject, addresses and headers. Ordinary mail has 110 of these, so three exclude nearly everything. */
const HEAD = { first: 0, count: 2_048 }
/** For the body. 2 kB of prose have 650 of these, so five exclude nearly everything. */
const BODY = { first: HEAD.count, count: 4_096 }
export const SLOTS = HEAD.count + BODY.count

/** A longer text would have nearly every slot, so it gets all of them without being read, which is never wrong. */
export const SIGNED_BYTES_MAX = 65_536

/** More would hardly exclude more messages. */
const SLOTS_PER_NEEDLE_MAX = 16

const PIECE = 3

/** The input of a signature. Null if the content is too long. */
export type Signable = Omit<Matchable, 'mailbox' | 'tag' | 'domain' | 'receivedAt' | 'bodyFolded' | 'headers'> & {
  bodyFolded: string | null
  headers: Header[] | null
}

/** A number per slot with one bit per message, set if the message has the slot. */
export type Signatures = Uint16Array

/** As many messages as the number has bits. */
export const SIGNED_TOGETHER = 16

/** Of those signed together, the first eight use the first byte, on machines of any byte order. */
export const BITS = Array.from(
  { length: SIGNED_TOGETHER },
  (_, index) => new Uint16Array(Uint8Array.of(1 << index, (1 << index) >> 8).buffer)[0]!,
)

export function noSignatures(): Signatures {
  return new Uint16Array(SLOTS)
}

/** Sets the message's bit in all of its slots. */
export function sign(signatures: Signatures, bit: number, message: Signable): void {
  markPieces(signatures, bit, HEAD, message.subjectFolded)
  markPieces(signatures, bit, HEAD, message.fromFolded)
  markPieces(signatures, bit, HEAD, message.toFolded)
  markPieces(signatures, bit, HEAD, message.mailboxWithTagFolded)
  markExact(signatures, bit, { name: MAILBOX, value: message.mailboxId })
  if (message.headers === null) markAll(signatures, bit, HEAD)
  else for (const header of message.headers) markExact(signatures, bit, header)
  if (message.bodyFolded === null) markAll(signatures, bit, BODY)
  else markPieces(signatures, bit, BODY, message.bodyFolded)
}

/** Alternatives. A message must have all slots of one of them. */
export type Need = number[][]

/** A matching message meets all of these needs. Empty if slots say nothing about the filter. */
export function needsOf({ to, from, subject, text, q, header }: MessageFilter): Need[] {
  const needs = [to, from, subject].map((needle) => needOf(needle, [HEAD]))
  needs.push(needOf(text, [BODY]), needOf(q, [HEAD, BODY]))
  if (header) needs.push([exactSlots(header)])
  return needs.filter((need) => need !== null)
}

export function mailboxNeed(mailboxId: string): Need {
  return [exactSlots({ name: MAILBOX, value: mailboxId })]
}

// No header has this name.
const MAILBOX = ''

type Area = typeof HEAD

/** Null if an interpretation is shorter than a piece: any of them may match, so slots exclude nothing. */
function needOf(needle: Needle | undefined, areas: Area[]): Need | null {
  if (!needle || needle.some((text) => text.length < PIECE)) return null
  return needle.flatMap((text) => areas.map((area) => pieceSlots(text, area)))
}

function pieceSlots(text: string, area: Area): number[] {
  const signatures = noSignatures()
  markPieces(signatures, 1, area, text)
  return markedIn(signatures).slice(0, SLOTS_PER_NEEDLE_MAX)
}

function exactSlots(header: Header): number[] {
  const signatures = noSignatures()
  markExact(signatures, 1, header)
  return markedIn(signatures)
}

/** In the order of slots, which is random relative to the text, so the first few cover all of the text. */
function markedIn(signatures: Signatures): number[] {
  const slots: number[] = []
  signatures.forEach((bits, slot) => {
    if (bits) slots.push(slot)
  })
  return slots
}

// Indexing spends most of its time in this loop, so it calls nothing but `mix`.
function markPieces(signatures: Signatures, bit: number, { first, count }: Area, text: string): void {
  let one = text.charCodeAt(0)
  let two = text.charCodeAt(1)
  for (let index = PIECE - 1; index < text.length; index++) {
    const three = text.charCodeAt(index)
    const hash = mix(Math.imul(one, 0x9e3779b1) ^ Math.imul(two, 0x85ebca6b) ^ Math.imul(three, 0xc2b2ae35))
    signatures[first + (hash & (count - 1))]! |= bit
    one = two
    two = three
  }
}

/** Sets three slots for a name and a value. The case of ASCII letters in the name is ignored. */
function markExact(signatures: Signatures, bit: number, { name, value }: Header): void {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++) {
    const unit = name.charCodeAt(index)
    const isUpper = unit >= 0x41 && unit <= 0x5a
    hash = Math.imul(hash ^ (isUpper ? unit | 0x20 : unit), 0x01000193)
  }
  // Separates name and value with a code unit that occurs in no header.
  hash = Math.imul(hash ^ 0xffff, 0x01000193)
  for (let index = 0; index < value.length; index++) hash = Math.imul(hash ^ value.charCodeAt(index), 0x01000193)
  for (let slot = 0; slot < 3; slot++) {
    hash = mix(hash)
    signatures[HEAD.first + (hash & (HEAD.count - 1))]! |= bit
  }
}

function markAll(signatures: Signatures, bit: number, { first, count }: Area): void {
  for (let slot = first; slot < first + count; slot++) signatures[slot]! |= bit
}

/** Spreads every bit of a number over all bits. */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return mixed ^ (mixed >>> 15)
}
