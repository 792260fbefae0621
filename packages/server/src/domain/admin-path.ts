import type { MessageLocation } from './object-keys.ts'

/** The path of a mailbox in the worker's admin API. */
export function adminMailboxPath(mailbox: string): string {
  return `/admin/inboxes/${encodeURIComponent(mailbox)}/messages`
}

/** The path of a message in the worker's admin API. `part` follows the id, such as `/raw`. */
export function adminMessagePath({ domain, mailbox, id }: MessageLocation, part = ''): string {
  const path = `${adminMailboxPath(mailbox)}/${encodeURIComponent(id)}${part}`
  // A name without dots means a label under EMAIL_DOMAIN. A trailing dot marks it as complete.
  const name = domain.includes('.') ? domain : `${domain}.`
  return `${path}?domain=${encodeURIComponent(name)}`
}
