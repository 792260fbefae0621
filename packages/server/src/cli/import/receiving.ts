import { MailhatchError, type Mailhatch } from '@mailhatch/sdk'

/** No mail is sent to it. It stands for any mailbox of a domain. */
const ANY_MAILBOX = 'mailhatch-import'
/** The domain is not the team's, the name of the domain is invalid, or the key is for one mailbox. */
const REFUSED_STATUSES = [400, 403, 404]

export type Receiving = (address: string) => Promise<boolean>

/**
 * Tells whether the team receives the mail for an address: on its own domain, or as the catch-all team. SMTP also accepts
 * mail for other domains, and keeps it apart.
 */
export function createReceiving({ messages }: Pick<Mailhatch, 'messages'>, ownDomain: string): Receiving {
  const domains = new Map([[ownDomain.toLowerCase(), Promise.resolve(true)]])

  async function ask(domain: string): Promise<boolean> {
    try {
      await messages.settled({ mailbox: `${ANY_MAILBOX}@${domain}`, quiet: 0, wait: 0 })
      return true
    } catch (error) {
      if (error instanceof MailhatchError && REFUSED_STATUSES.includes(error.status)) return false
      throw error
    }
  }

  return (address) => {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
    const known = domains.get(domain) ?? ask(domain)
    domains.set(domain, known)
    return known
  }
}
