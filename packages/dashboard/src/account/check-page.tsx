import { useState } from 'react'
import { auth } from '../api/auth.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { AccountFrame } from './account-frame.tsx'
import { NewPasswordField } from './password-fields.tsx'
import { useEnter } from './use-enter.ts'
import { useParameter } from './use-parameter.ts'

/**
 * Where the mail of a sign-up leads. Someone else may have signed up with this address, so its reader sets the password
 * in the same step.
 */
export default function CheckPage() {
  const token = useParameter('token') ?? ''
  const enter = useEnter()
  const check = useAction(auth.checkAddress, { onDone: enter })
  const [password, setPassword] = useState('')
  return (
    <AccountFrame
      title="Confirm your address"
      description="Enter the password you chose when you signed up. If you did not sign up, choose a new one; this signs everyone else out."
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          check.run({ token, password })
        }}
      >
        <NewPasswordField value={password} failure={check.failure} field="password" onChange={setPassword} />
        {check.failure && <FailureNotice failure={check.failure} />}
        <Button type="submit" look="primary" isBusy={check.isRunning} className="w-full">
          This address is mine
        </Button>
      </form>
    </AccountFrame>
  )
}
