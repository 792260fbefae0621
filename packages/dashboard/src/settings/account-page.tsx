import { useState } from 'react'
import { auth } from '../api/auth.ts'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { NewPasswordField } from '../account/password-fields.tsx'
import { useSession } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { notify } from '../ui/notices.ts'
import { Page, Panel } from '../ui/page.tsx'
import { NamePanel } from './name-panel.tsx'
import { NotificationsPanel } from './notifications-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'

export function AccountPage() {
  const { me } = useSession()
  return (
    <Page title="Account" description={me.email}>
      <NamePanel
        label="Your name"
        autoComplete="name"
        current={me.name}
        action="Save"
        save={(name) => trpc.user.update.mutate({ name })}
        changes={['me', 'members']}
        saved="Name saved."
      />
      <NotificationsPanel />
      <PasswordPanel />
      <SessionsPanel />
    </Page>
  )
}

function PasswordPanel() {
  const { me } = useSession()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useAction(() => auth.changePassword({ current: current || null, new: password }), {
    changes: ['sessions'],
    onDone() {
      setCurrent('')
      setPassword('')
      notify('Password changed. Your other sessions were signed out.')
    },
  })
  return (
    <Panel
      title="Password"
      description="If you signed in with a link and have no password yet, leave the current password empty."
    >
      <form
        className="max-w-sm space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.run()
        }}
      >
        <input type="text" autoComplete="username" value={me.email} readOnly hidden />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <NewPasswordField
          label="New password"
          value={password}
          failure={change.failure}
          field="new"
          onChange={setPassword}
        />
        {change.failure && <FailureNotice failure={{ ...change.failure, details: {} }} />}
        <Button type="submit" isBusy={change.isRunning}>
          Change password
        </Button>
      </form>
    </Panel>
  )
}
