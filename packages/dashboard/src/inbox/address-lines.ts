import type { MailAddress, MessageDetail } from '@mailhatch/sdk'

export type AddressLine = {
  name: 'To' | 'Cc' | 'Delivered to'
  addresses: MailAddress[]
  /** Why the recipient is not in To. */
  note: 'Cc' | 'Bcc' | null
}

type Addressed = Pick<MessageDetail, 'to' | 'toAll' | 'cc'>

/** The recipients in To and Cc, and the recipient of this copy first or on a line of its own. */
export function addressLines({ to, toAll, cc }: Addressed): AddressLine[] {
  const copies: AddressLine[] = cc.length > 0 ? [{ name: 'Cc', addresses: cc, note: null }] : []
  // Mail without a To header, and mail announced without headers.
  if (toAll.length === 0 && !isAmong(cc, to)) return [{ name: 'To', addresses: [own(to)], note: null }, ...copies]
  if (isAmong(toAll, to)) {
    const others = toAll.filter(({ address }) => !isSame(address, to))
    const mine = toAll.find(({ address }) => isSame(address, to))!
    return [{ name: 'To', addresses: [{ ...mine, address: to }, ...others], note: null }, ...copies]
  }
  const listed: AddressLine[] = toAll.length > 0 ? [{ name: 'To', addresses: toAll, note: null }] : []
  return [...listed, ...copies, { name: 'Delivered to', addresses: [own(to)], note: isAmong(cc, to) ? 'Cc' : 'Bcc' }]
}

function isAmong(addresses: MailAddress[], wanted: string): boolean {
  return addresses.some(({ address }) => isSame(address, wanted))
}

export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function own(address: string): MailAddress {
  return { address, name: null }
}
