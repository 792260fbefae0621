import { useMemo } from 'react'
import { CodeView } from '../ui/code-view.tsx'
import { highlightHtml, type SourcePiece } from './highlight-html.ts'
import { breakRuns } from './safe-text.ts'

const COLOURS: Record<Exclude<SourcePiece['kind'], 'text'>, string> = {
  tag: 'text-accent',
  attribute: 'text-warn',
  value: 'text-good',
  comment: 'text-quiet italic',
}

/** The HTML of a message as text. React escapes it. */
export function SourceTab({ html }: { html: string }) {
  const pieces = useMemo(() => highlightHtml(breakRuns(html)), [html])
  return (
    <div className="p-4">
      <CodeView label="HTML source" code={html}>
        {pieces.map(({ kind, text }, index) =>
          kind === 'text' ? (
            text
          ) : (
            <span key={index} className={COLOURS[kind]}>
              {text}
            </span>
          ),
        )}
      </CodeView>
    </div>
  )
}
