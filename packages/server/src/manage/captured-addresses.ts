import { parseRecipient, tenantSubdomain } from '../domain/address.ts'
import type { Store } from '../store/store.ts'
import type { Site } from './site.ts'

type Ports = { store: Pick<Store, 'findInbox' | 'findCatchingTeam'>; site: Pick<Site, 'rootDomain'> }

/**
 * Whether this server captures mail to the address, where a whole team and its keys can read it. No account link may be
 * sent there: its first reader could take over the account.
 */
export async function isCapturedHere({ store, site }: Ports, email: string): Promise<boolean> {
  const { rootDomain } = site
  const domain = parseRecipient(email)?.domain
  // An invalid address receives no mail, so nothing is lost.
  if (domain === undefined) return true
  if (domain === rootDomain || tenantSubdomain(domain, rootDomain) !== null) return true
  if (await store.findInbox({ domain, mailbox: '' })) return true
  return (await store.findCatchingTeam(domain)) !== null
}
