import { mailIdOf } from '../domain/mail-copies.ts'
import type { StoredMessage, StoredSummary, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { toShortId } from './short-id.ts'

/** A message of a mail, as far as a list knows it. */
export type Copy = Pick<StoredSummary, 'id' | 'position' | 'receivedAt' | 'to'>

/** The messages of one mail that the caller sees, by id. */
export type Copies<One extends Copy = Copy> = [One, ...One[]]

/**
 * A mail. Other mail catchers store one message for all its recipients, we one for each of them. It has the content of the first
 * message that the caller sees.
 */
export type WholeMail = StoredMessage & {
  /** Of the messages that the caller sees. */
  recipients: string[]
  positions: number[]
}

/** The id that clients get, whichever messages of the mail they see. */
export function shownId(id: string): string {
  return toShortId(mailIdOf(id))
}

/** The mail with this id, or with a message of this id. Null if the caller sees nothing of it. */
export async function findMail(
  store: Pick<Store, 'findMessage' | 'findCopies'>,
  view: View,
  id: string,
): Promise<WholeMail | null> {
  // Most mails have one message.
  const [copies, only] = await Promise.all([store.findCopies(view, id), store.findMessage(view, mailIdOf(id))])
  if (!areAny(copies)) return null
  return copies[0].id === only?.id ? asMail(only, copies) : findMailOf(store, view, copies)
}

/** Null if all of it has been deleted. */
export async function findMailOf(
  store: Pick<Store, 'findMessage'>,
  view: View,
  copies: Copies,
): Promise<WholeMail | null> {
  for (let left: Copy[] = copies; areAny(left); left = left.slice(1)) {
    const message = await store.findMessage(view, left[0].id)
    if (message) return asMail(message, left)
  }
  return null
}

function asMail(message: StoredMessage, copies: Copies): WholeMail {
  return { ...message, recipients: copies.map(({ to }) => to), positions: positionsOf([copies]) }
}

export function positionsOf(mails: Copies[]): number[] {
  return mails.flat().map(({ position }) => position)
}

/** Of a mail, by the positions of all messages that are read. */
export function isMailRead(copies: Copies, read: Set<number>): boolean {
  return copies.every(({ position }) => read.has(position))
}

export function areAny<One extends Copy>(copies: One[]): copies is Copies<One> {
  return copies.length > 0
}

/** Messages in list order, by mail. Those of one mail have the same time, and their place is that of the first in the list. */
export function groupByMail<One extends Copy>(messages: One[]): Copies<One>[] {
  const mails: Copies<One>[] = []
  const ofTime = new Map<string, Copies<One>>()
  for (const [index, message] of messages.entries()) {
    const isAsBefore = messages[index - 1]?.receivedAt === message.receivedAt
    if (!isAsBefore) ofTime.clear()
    // Most messages are the only ones of their time.
    const isAlone = !isAsBefore && messages[index + 1]?.receivedAt !== message.receivedAt
    const name = isAlone ? message.id : mailIdOf(message.id)
    const known = ofTime.get(name)
    if (known) {
      known.push(message)
      known.sort((one, other) => (one.id < other.id ? -1 : 1))
      continue
    }
    const mail: Copies<One> = [message]
    if (!isAlone) ofTime.set(name, mail)
    mails.push(mail)
  }
  return mails
}
