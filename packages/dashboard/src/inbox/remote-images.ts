import { getPreference, setPreference, usePreference } from '../preferences.ts'

/** More mailboxes than anyone reads; of the ones beyond, the oldest choice is asked for again. */
const REMEMBERED_MAX = 200

/** Whether mail of this mailbox is always shown with the images of its senders' servers, in this browser. */
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
