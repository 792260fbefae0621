import { useState } from 'react'
import { notificationPermission } from '../inbox/mail-notifications.ts'
import { setPreference, usePreference } from '../preferences.ts'
import { CheckboxField } from '../ui/field.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'

const HINTS = {
  default: 'Kept in this browser, which then asks you whether it may.',
  granted: 'Kept in this browser.',
  denied: 'The browser blocks notifications of this page. Allow them in its settings of this site first.',
  missing: 'The browser has notifications only over https and on localhost.',
}

/** Off until someone presses the switch, and only then the browser asks. */
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
      description="Sender and subject of new mail, while the inbox is open in a tab that you are not looking at."
    >
      <CheckboxField
        label="Notify me of new mail"
        hint={HINTS[permission]}
        checked={choice === 'on' && permission === 'granted'}
        disabled={permission === 'denied' || permission === 'missing'}
        onChange={(event) => void change(event.target.checked)}
      />
    </Panel>
  )
}
