import { useState } from 'react'
import { notificationPermission } from '../inbox/mail-notifications.ts'
import { setPreference, usePreference } from '../preferences.ts'
import { CheckboxField } from '../ui/field.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'

const HINTS = {
  default: 'Applies to this browser, which will ask for your permission.',
  granted: 'Applies to this browser.',
  denied: 'The browser blocks notifications from this page. Allow them in the browser’s site settings first.',
  missing: 'Browsers support notifications only over https and on localhost.',
}

/** Off by default. The browser asks for permission when the user turns it on. */
export function NotificationsPanel() {
  const choice = usePreference('notifications')
  const [permission, setPermission] = useState(notificationPermission)

  async function change(isOn: boolean): Promise<void> {
    const answer = isOn && permission === 'default' ? await Notification.requestPermission() : permission
    setPermission(answer)
    setPreference('notifications', isOn && answer === 'granted' ? 'on' : 'off')
    if (isOn && answer !== 'granted') notify('The browser does not allow notifications.', { kind: 'bad' })
  }

  return (
    <Panel
      title="Notifications"
      description="Shows the sender and subject of new mail while the inbox is open in a background tab."
    >
      <CheckboxField
        label="Notify me about new mail"
        hint={HINTS[permission]}
        checked={choice === 'on' && permission === 'granted'}
        disabled={permission === 'denied' || permission === 'missing'}
        onChange={(event) => void change(event.target.checked)}
      />
    </Panel>
  )
}
