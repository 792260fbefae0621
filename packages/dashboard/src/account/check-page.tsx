import { useState } from 'react'
import { auth } from '../api/auth.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { AccountFrame } from './account-frame.tsx'
import { NewPasswordField } from './password-fields.tsx'
import { useAfterSignIn } from './use-after-sign-in.ts'
import { useParameter } from './use-parameter.ts'

/**
 * The page that the sign-up mail links to. Another person may have signed up with this address, so its owner sets the
 * password in the same step.
 */
export default function CheckPage() {
  const token = useParameter('token') ?? ''
  const afterSignIn = useAfterSignIn()
  const check = useAction(auth.checkAddress, { onDone: afterSignIn })
  const [password, setPassword] = useState('')
  return (
    <AccountFrame
      title="Confirm your address"
      description="Enter the password you chose when you signed up. If you did not sign up, choose a new password: every other session of this account is signed out."
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
        <Button type="submit" variant="primary" isBusy={check.isRunning} className="w-full">
          Confirm address
        </Button>
      </form>
    </AccountFrame>
  )
}
