import type { Header } from '@mailhatch/sdk'
import { addressesOf, addressHeadersOf } from '../../mime/address-headers.ts'
import type { StoredMessage } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { createFactsReader, type FactsReader } from '../facts-reader.ts'

export type EmailAddress = { address: string; name: string }

/** What searches and the order of a list need of a message, as far as our summary does not have it. */
export type EmailFacts = { time: number; from: EmailAddress[]; to: EmailAddress[]; cc: EmailAddress[] }

/** Mails that name more are read again for each search. */
const KEPT_ADDRESSES_MAX = 50

export function createMaildevFacts(store: Pick<Store, 'findMessage'>): FactsReader<EmailFacts> {
  return createFactsReader(store, {
    factsOf,
    isSmall: ({ from, to, cc }) => from.length + to.length + cc.length <= KEPT_ADDRESSES_MAX,
  })
}

export function factsOf(message: Pick<StoredMessage, 'headers' | 'receivedAt'>): EmailFacts {
  const list = (name: string) => addressesIn(message.headers, name)
  return { time: timeOf(message), from: list('from'), to: list('to'), cc: list('cc') }
}

export function addressesIn(headers: Header[], name: string): EmailAddress[] {
  return addressesOf(headers, name).map((one) => ({ address: one.address, name: one.name ?? '' }))
}

/** Like MailDev, the time that the mail says, or else that of its arrival. */
function timeOf({ headers, receivedAt }: Pick<StoredMessage, 'headers' | 'receivedAt'>): number {
  const { date } = addressHeadersOf(headers)
  return date === null ? receivedAt : Date.parse(date)
}
