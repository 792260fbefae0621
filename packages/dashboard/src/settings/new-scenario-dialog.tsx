import { useState } from 'react'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useSession } from '../session.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { CheckboxField, SelectField, TextAreaField, TextField } from '../ui/field.tsx'

const TIMES = [
  { seconds: 600, text: '10 minutes' },
  { seconds: 3_600, text: '1 hour' },
  { seconds: 86_400, text: '1 day' },
]

type Props = { isOpen: boolean; onClose: () => void }

export function NewScenarioDialog({ isOpen, onClose }: Props) {
  return (
    <Dialog title="Add scenario" isOpen={isOpen} onClose={onClose}>
      <ScenarioForm onClose={onClose} />
    </Dialog>
  )
}

function ScenarioForm({ onClose }: Omit<Props, 'isOpen'>) {
  const { team } = useSession()
  const [to, setTo] = useState('')
  const [steps, setSteps] = useState('')
  const [isPrefix, setPrefix] = useState(false)
  const [expiresIn, setExpiresIn] = useState(TIMES[0]!.seconds)
  const add = useAction(trpc.scenarios.create.mutate, { changes: ['scenarios'], onDone: onClose })
  const problems = add.failure?.details ?? {}
  const isShown = Object.keys(problems).length > 0
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        add.run({ to, steps, match: isPrefix ? 'prefix' : 'exact', expiresIn })
      }}
    >
      <TextField
        label="Address"
        type="email"
        required
        autoFocus
        placeholder={`qa+signup@${team.domain}`}
        hint="It replaces the scenario of the same address."
        value={to}
        problems={problems['to']}
        onChange={(event) => setTo(event.target.value)}
      />
      <CheckboxField
        label="Also for other tags that begin like this one"
        checked={isPrefix}
        onChange={(event) => setPrefix(event.target.checked)}
      />
      <TextAreaField
        label="Steps"
        required
        rows={4}
        spellCheck={false}
        autoCapitalize="none"
        placeholder={'reject:451x2\ndelay:8s\naccept'}
        hint="One per line, for one mail each, or as many as its x2 says. The last one stays: accept, reject:451x2, delay:8s, cut:data, greylist:30s, limit:5/1s, slow:10kB/s."
        value={steps}
        problems={problems['steps']}
        onChange={(event) => setSteps(event.target.value)}
      />
      <SelectField label="Ends after" value={expiresIn} onChange={(event) => setExpiresIn(Number(event.target.value))}>
        {TIMES.map(({ seconds, text }) => (
          <option key={seconds} value={seconds}>
            {text}
          </option>
        ))}
      </SelectField>
      {add.failure && !isShown && <FailureNotice failure={add.failure} />}
      <Buttons className="justify-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={add.isRunning}>
          Add scenario
        </Button>
      </Buttons>
    </form>
  )
}
