import type { Failure } from '../api/failure.ts'
import { TextField } from '../ui/field.tsx'

/** The same limit as on the server. */
const PASSWORD_CHARACTERS_MIN = 10

type Props = {
  label?: string
  value: string
  failure: Failure | null
  field: string
  onChange: (value: string) => void
}

export function NewPasswordField({ label = 'Password', value, failure, field, onChange }: Props) {
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="new-password"
      required
      minLength={PASSWORD_CHARACTERS_MIN}
      hint={`At least ${PASSWORD_CHARACTERS_MIN} characters; a few words are easy to remember.`}
      problems={failure?.details[field]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
