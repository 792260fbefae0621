import type { MessageDetail } from '@mailhatch/sdk'
import { EmptyState } from '../ui/empty-state.tsx'
import { breakRuns } from './safe-text.ts'
import { textPieces } from './text-pieces.ts'

/** React escapes the text; only http and https URLs become links. */
export function TextTab({ message }: { message: MessageDetail }) {
  const { textContent, codes } = message
  if (textContent === null) return <EmptyState icon="mailbox" title="This message has no text part" />
  return (
    <pre tabIndex={0} className="whitespace-pre-wrap p-4 font-sans text-base/relaxed">
      {textPieces(breakRuns(textContent), codes[0]?.value ?? null).map(({ kind, text }, index) => {
        if (kind === 'text') return text
        if (kind === 'code') {
          return (
            <mark key={index} className="rounded bg-accent-soft px-1 font-mono font-semibold text-accent">
              {text}
            </mark>
          )
        }
        return (
          <a key={index} href={text} target="_blank" rel="noopener noreferrer" className="link">
            {text}
          </a>
        )
      })}
    </pre>
  )
}
