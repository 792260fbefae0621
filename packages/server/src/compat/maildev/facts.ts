import type { Header } from '@mailhatch/sdk'
import { addressesOf, addressHeadersOf } from '../../mime/address-headers.ts'
import type { StoredMessage } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { createFactsReader, type FactsReader } from '../facts-reader.ts'

export type EmailAddress = { address: string; name: string }

type EmailAddresses = { from: EmailAddress[]; to: EmailAddress[]; cc: EmailAddress[] }

/** What searches need of a message, as far as our summary does not have it. */
export function createAddresses(store: Pick<Store, 'findMessage'>): FactsReader<EmailAddresses> {
  return createFactsReader(store, namedIn)
}

/** What the order of a list needs. Apart from the addresses, because these may be too long to be kept. */
export function createTimes(store: Pick<Store, 'findMessage'>): FactsReader<number> {
  return createFactsReader(store, timeOf)
}

export function namedIn({ headers }: Pick<StoredMessage, 'headers'>): EmailAddresses {
  const list = (name: string) => addressesIn(headers, name)
  return { from: list('from'), to: list('to'), cc: list('cc') }
}

export function addressesIn(headers: Header[], name: string): EmailAddress[] {
  return addressesOf(headers, name).map((one) => ({ address: one.address, name: one.name ?? '' }))
}

/** Like MailDev, the time that the mail says, or else that of its arrival. */
export function timeOf({ headers, receivedAt }: Pick<StoredMessage, 'headers' | 'receivedAt'>): number {
  const { date } = addressHeadersOf(headers)
  return date === null ? receivedAt : Date.parse(date)
}
