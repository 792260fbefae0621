import { useState } from 'react'
import guide from '../../../../docs/guide/frameworks.md?raw'
import { CodeBlock } from '../ui/code-block.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { codeFor, readGuide, type MailServer } from './framework-guide.ts'

const FRAMEWORKS = readGuide(guide)

/** SMTP settings for common frameworks. Load it on demand: it contains the guide. */
export default function FrameworkTabs({ server }: { server: MailServer }) {
  const [chosen, setChosen] = useState(FRAMEWORKS[0]!.name)
  const { name, code, notes, isTried } = FRAMEWORKS.find((one) => one.name === chosen)!
  return (
    <Tabs
      label="Framework"
      tabs={FRAMEWORKS.map((one) => ({ name: one.name, text: one.name }))}
      chosen={name}
      onChoose={setChosen}
      className="[&>[role=tablist]]:flex-wrap"
      panelClassName="space-y-2 pt-3"
    >
      <CodeBlock label={name} code={codeFor(code, server)} />
      {notes.map((note) => (
        <p key={note} className="text-sm text-quiet">
          <WithCode text={note} />
        </p>
      ))}
      {!isTried && (
        <p className="text-xs text-quiet">Written from the documentation of {name}; our tests do not run it.</p>
      )}
    </Tabs>
  )
}

/** Text with code between backticks. */
function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className="font-mono text-xs">
        {part}
      </code>
    ),
  )
}
