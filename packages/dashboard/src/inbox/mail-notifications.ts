import type { MessageSummary } from '@mailhatch/sdk'
import { getPreference } from '../preferences.ts'
import { visibleText } from './safe-text.ts'

/** If more messages arrive at once, one notification shows their number. */
const SINGLE_NOTIFICATIONS_MAX = 3

/** Shows browser notifications with sender and subject, if the user enabled them. A click opens the message. */
export function notifyOfMail(mails: MessageSummary[], open: (id: string | null) => void): void {
  if (getPreference('notifications') === 'off' || notificationPermission() !== 'granted') return
  if (mails.length > SINGLE_NOTIFICATIONS_MAX) {
    show({ title: `${mails.length} new messages`, tag: 'many', onClick: () => open(null) })
    return
  }
  for (const { id, from, fromName, subject } of mails) {
    const title = visibleText(fromName || from || '(no sender)')
    show({ title, body: visibleText(subject) || '(no subject)', tag: id, onClick: () => open(id) })
  }
}

/** `missing` if the browser has no notifications: it needs https or localhost. */
export function notificationPermission(): NotificationPermission | 'missing' {
  return typeof Notification === 'undefined' ? 'missing' : Notification.permission
}

type MailNotification = { title: string; body?: string; tag: string; onClick: () => void }

/** Because of the tag, several tabs show only one notification for the same mail. */
function show({ title, onClick, ...options }: MailNotification): void {
  try {
    const notification = new Notification(title, options)
    notification.addEventListener('click', () => {
      window.focus()
      onClick()
      notification.close()
    })
  } catch {
    // Mobile browsers allow this only to installed apps. The tab title still shows the count.
  }
}
