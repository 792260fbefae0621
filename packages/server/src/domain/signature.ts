import type { Header } from '@mailhatch/sdk'
import type { Matchable, MessageFilter, Needle } from './match.ts'

/**
 * A message's signature is a set of slots: every three code units of its text, and every header as a whole, are hashed
 * to slots. A message that holds a text has all slots of the text; one that has them all may hold it.
 */

/** For subject, addresses and headers: an ordinary mail has 110 of these, so that three exclude nearly everything. */
const HEAD = { first: 0, count: 2_048 }
/** For the body: 2 kB of prose have 650 of these, so that five exclude nearly everything. */
const BODY = { first: HEAD.count, count: 4_096 }
export const SLOTS = HEAD.count + BODY.count

/** A longer text would have nearly every slot; it is given all of them unread, which is never wrong. */
export const SIGNED_BYTES_MAX = 65_536

/** More would hardly exclude anything that these do not. */
const SLOTS_PER_NEEDLE_MAX = 16

const PIECE = 3

/** What a signature is made of; null stands for what is too long. */
export type Signable = Omit<Matchable, 'mailbox' | 'tag' | 'domain' | 'receivedAt' | 'bodyFolded' | 'headers'> & {
  bodyFolded: string | null
  headers: Header[] | null
}

/** A number for each slot, and in it a bit for each message that is signed: set where the message has the slot. */
export type Signatures = Uint16Array

/** As many messages as a number has bits. */
export const SIGNED_TOGETHER = 16

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

/** Lists of slots, of one of which a message must have all. */
export type Need = number[][]

/** What a message must have to be found, all of it; none where nothing that is asked for can be told by slots. */
export function needsOf({ to, from, subject, text, q, header }: MessageFilter): Need[] {
  const needs = [to, from, subject].map((needle) => needOf(needle, [HEAD]))
  needs.push(needOf(text, [BODY]), needOf(q, [HEAD, BODY]))
  if (header) needs.push([exactSlots(header)])
  return needs.filter((need) => need !== null)
}

export function mailboxNeed(mailboxId: string): Need {
  return [exactSlots({ name: MAILBOX, value: mailboxId })]
}

// Not the name of a header.
const MAILBOX = ''

type Area = typeof HEAD

/** Any reading may occur, so with one that is shorter than a piece, slots can tell nothing. */
function needOf(needle: Needle | undefined, areas: Area[]): Need | null {
  if (!needle || needle.some((reading) => reading.length < PIECE)) return null
  return needle.flatMap((reading) => areas.map((area) => pieceSlots(reading, area)))
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

/** In the order of the slots, which is that of the text thoroughly mixed: the first few are from all over it. */
function markedIn(signatures: Signatures): number[] {
  const slots: number[] = []
  signatures.forEach((bits, slot) => {
    if (bits) slots.push(slot)
  })
  return slots
}

// Most of the work of indexing is done in this loop, so it calls nothing but `mix`.
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

/** Three slots of a name, in whatever case its ASCII letters are, and a value. */
function markExact(signatures: Signatures, bit: number, { name, value }: Header): void {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++) {
    const unit = name.charCodeAt(index)
    const isUpper = unit >= 0x41 && unit <= 0x5a
    hash = Math.imul(hash ^ (isUpper ? unit | 0x20 : unit), 0x01000193)
  }
  // Between name and value, a code unit that is in no header.
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

/** Spreads every bit of a number over all of them. */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return mixed ^ (mixed >>> 15)
}
