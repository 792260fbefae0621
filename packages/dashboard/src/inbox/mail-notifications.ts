import type { MessageSummary } from '@mailhatch/sdk'
import { getPreference } from '../preferences.ts'
import { visibleText } from './safe-text.ts'

/** Of more that come at once, only how many they are is told. */
const TOLD_ONE_BY_ONE = 3

/** By the browser, where the person has asked for it: who wrote and about what, as text. A press opens it. */
export function notifyOfMail(mails: MessageSummary[], open: (id: string | null) => void): void {
  if (getPreference('notifications') === 'off' || notificationPermission() !== 'granted') return
  if (mails.length > TOLD_ONE_BY_ONE) {
    tell({ title: `${mails.length} new mails`, tag: 'many', onPress: () => open(null) })
    return
  }
  for (const { id, from, fromName, subject } of mails) {
    const title = visibleText(fromName || from || 'no sender')
    tell({ title, body: visibleText(subject) || '(no subject)', tag: id, onPress: () => open(id) })
  }
}

/** `missing` where the browser has none: without https, unless on localhost. */
export function notificationPermission(): NotificationPermission | 'missing' {
  return typeof Notification === 'undefined' ? 'missing' : Notification.permission
}

type Told = { title: string; body?: string; tag: string; onPress: () => void }

/** The tag lets other tabs that tell of the same mail do so only once. */
function tell({ title, onPress, ...options }: Told): void {
  try {
    const notification = new Notification(title, options)
    notification.addEventListener('click', () => {
      window.focus()
      onPress()
      notification.close()
    })
  } catch {
    // Browsers of phones allow it only to apps that are installed; the title of the tab still counts.
  }
}
