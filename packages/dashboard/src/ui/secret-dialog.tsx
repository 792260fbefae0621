import { useState } from 'react'
import { Button, Buttons } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { CheckboxField } from './field.tsx'

type Props = { title: string; what: string; secret: string | null; hint: string; onClose: () => void }

/** Shows a secret once. The user must confirm that it is saved before the dialog closes. */
export function SecretDialog({ title, what, secret, hint, onClose }: Props) {
  return (
    <Dialog title={title} description={hint} isOpen={secret !== null} onClose={onClose} mustAnswer>
      {secret !== null && <Secret what={what} secret={secret} onClose={onClose} />}
    </Dialog>
  )
}

function Secret({ what, secret, onClose }: { what: string; secret: string; onClose: () => void }) {
  const [isSaved, setSaved] = useState(false)
  return (
    <div className="space-y-4">
      <code className="block select-all rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-sm">
        {secret}
      </code>
      <CheckboxField
        label={`I have saved the ${what}`}
        checked={isSaved}
        onChange={(event) => setSaved(event.target.checked)}
      />
      <Buttons className="justify-end">
        <CopyButton text={secret} label={`Copy ${what}`} />
        <Button variant="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </Buttons>
    </div>
  )
}
