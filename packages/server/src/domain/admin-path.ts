import type { MessageLocation } from './object-keys.ts'

/** Where the worker's admin API has a mailbox. */
export function adminMailboxPath(mailbox: string): string {
  return `/admin/inboxes/${encodeURIComponent(mailbox)}/messages`
}

/** Where it has a message; `part` is what follows the id, such as `/raw`. */
export function adminMessagePath({ domain, mailbox, id }: MessageLocation, part = ''): string {
  const path = `${adminMailboxPath(mailbox)}/${encodeURIComponent(id)}${part}`
  // A name without dots means a label under EMAIL_DOMAIN. A trailing dot marks it as complete.
  const name = domain.includes('.') ? domain : `${domain}.`
  return `${path}?domain=${encodeURIComponent(name)}`
}
