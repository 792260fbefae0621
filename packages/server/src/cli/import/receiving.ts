import { MailhatchError, NotFoundError, type Mailhatch } from '@mailhatch/sdk'

/** No mail is sent to it. It stands for any mailbox of a domain. */
const ANY_MAILBOX = 'mailhatch-import'
/** The team does not receive the mail, the address is invalid, or the key is for one mailbox. */
const REFUSED_STATUSES = [400, 403, 404]

type Ports = Pick<Mailhatch, 'messages'>
export type Receiving = (address: string) => Promise<boolean>

/**
 * Tells whether the team receives the mail for an address: on its own domain, or as the catch-all team. SMTP also accepts
 * mail for other domains, and keeps it apart.
 */
export function createReceiving(ports: Ports, ownDomain: string): Receiving {
  const domains = new Map([[ownDomain.toLowerCase(), Promise.resolve(true)]])
  return (address) => {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
    const known =
      domains.get(domain) ?? refusalOf(ports, `${ANY_MAILBOX}@${domain}`).then((refusal) => refusal === null)
    domains.set(domain, known)
    return known
  }
}

/** Throws if the team does not receive the mail for the address. A key for one mailbox may not know. */
export async function requireReceived(ports: Ports, address: string): Promise<void> {
  const refusal = await refusalOf(ports, address)
  if (refusal instanceof NotFoundError) throw refusal
}

async function refusalOf({ messages }: Ports, address: string): Promise<MailhatchError | null> {
  try {
    await messages.settled({ mailbox: address, quiet: 0, wait: 0 })
    return null
  } catch (error) {
    if (error instanceof MailhatchError && REFUSED_STATUSES.includes(error.status)) return error
    throw error
  }
}
