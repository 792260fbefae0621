import { parseRecipient, tenantSubdomain } from '../domain/address.ts'
import type { Store } from '../store/store.ts'

type Ports = { store: Pick<Store, 'findInbox'>; rootDomain: string }

/**
 * Whether mail to the address comes in here, where a whole team and its keys read it. No link of ours may go there:
 * whoever reads it first would be taken for the one it was meant for.
 */
export async function isCapturedHere({ store, rootDomain }: Ports, email: string): Promise<boolean> {
  const domain = parseRecipient(email)?.domain
  // Nobody's, so nothing is lost by not writing there.
  if (domain === undefined) return true
  if (domain === rootDomain || tenantSubdomain(domain, rootDomain) !== null) return true
  return (await store.findInbox({ domain, mailbox: '' })) !== null
}
