import { getPreference, setPreference, usePreference } from '../preferences.ts'

/** Bounds local storage. Beyond it, the oldest choice is dropped. */
const REMEMBERED_MAX = 200

/** Whether this browser always loads remote images for mail in this mailbox. */
export function useAlwaysImages(mailboxId: string): boolean {
  return idsIn(usePreference('remoteImages')).includes(mailboxId)
}

export function setAlwaysImages(mailboxId: string, isAlways: boolean): void {
  const others = idsIn(getPreference('remoteImages')).filter((id) => id !== mailboxId)
  const ids = isAlways ? [...others, mailboxId] : others
  setPreference('remoteImages', ids.slice(-REMEMBERED_MAX).join(' '))
}

function idsIn(text: string): string[] {
  return text.split(' ').filter(Boolean)
}
