import type { MessageDetail } from '@mailhatch/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { serverPath } from '../base-path.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { testCodes } from './test-code.ts'

const CHOSEN = 'mailhatch.testCode'

export default function TestCodeDialog({ message, onClose }: { message: MessageDetail; onClose: () => void }) {
  const codes = testCodes(message, location.origin + serverPath(''))
  const [chosen, setChosen] = useState(() => remembered(codes[0]!.name))
  const { name, code } = codes.find((one) => one.name === chosen) ?? codes[0]!
  return (
    <Dialog
      title="Copy as test code"
      description="Waits for a mail like this one. Run now, it finds this mail."
      width="large"
      isOpen
      onClose={onClose}
    >
      <Tabs
        label="Language"
        tabs={codes.map((one) => ({ name: one.name, text: one.name }))}
        chosen={name}
        onChoose={(next) => {
          setChosen(next)
          remember(next)
        }}
        panelClassName="pt-3"
      >
        <CodeBlock label={name} code={code} />
      </Tabs>
      <p className="mt-3 text-sm text-quiet">
        Set <code>MAILHATCH_URL</code> to <code>{location.origin + serverPath('')}</code> and{' '}
        <code>MAILHATCH_API_KEY</code> to{' '}
        <Link href="/settings/keys" className="link">
          an API key of your team
        </Link>
        .
      </p>
    </Dialog>
  )
}

function remembered(otherwise: string): string {
  try {
    return localStorage.getItem(CHOSEN) ?? otherwise
  } catch {
    return otherwise
  }
}

function remember(name: string): void {
  try {
    localStorage.setItem(CHOSEN, name)
  } catch {
    // Storage is disabled: the default is used next time.
  }
}
