import { useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { visibleText } from './safe-text.ts'

/** About three lines of a narrow pane. A subject may have 8,000 characters. */
const LONG_LENGTH = 160

/** The subject, cut after three lines if it is long, with a button that shows all of it. */
export function SubjectHeading({ subject }: { subject: string }) {
  const [isWhole, setWhole] = useState(false)
  const text = visibleText(subject) || '(no subject)'
  const isLong = text.length > LONG_LENGTH
  return (
    <div className="min-w-0 grow pt-1">
      <h2
        className={classNames(
          'text-lg/6 font-semibold',
          isLong && (isWhole ? 'max-h-[40vh] overflow-y-auto' : 'line-clamp-3'),
          'print:line-clamp-none print:max-h-none',
        )}
        tabIndex={isLong && isWhole ? 0 : undefined}
      >
        <bdi>{text}</bdi>
      </h2>
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="link min-h-6 text-xs print:hidden"
        >
          {isWhole ? 'Shorten the subject' : 'Show the whole subject'}
        </button>
      )}
    </div>
  )
}
