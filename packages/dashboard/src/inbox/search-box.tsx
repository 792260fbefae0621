import { Suspense, useEffect, useState, type ComponentProps, type RefObject } from 'react'
import { lazyPart } from '../lazy-part.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from './safe-text.ts'
import {
  formatTerm,
  parseSearch,
  problemOf,
  TERM_NAMES,
  toggleTerm,
  withoutReplaced,
  type Term,
} from './search-terms.ts'

const SearchHelp = lazyPart(() => import('./search-help.tsx'))

/** Complete words, suggested before names that need a value. */
const WHOLE_WORDS = ['has:attachment', 'has:code', 'is:unread']

type Props = { terms: Term[]; input: RefObject<HTMLInputElement | null>; onChange: (terms: Term[]) => void }

/** A search field, with the active filters as chips below it. */
export function SearchBox({ terms, input, onChange }: Props) {
  const [text, setText] = useState('')
  const freeText = terms.find(isFreeText)?.value ?? ''
  useEffect(() => setText(freeText), [freeText])

  function search(): void {
    const others = terms.filter((term) => !isFreeText(term))
    const typed = parseSearch(text)
    onChange([...withoutReplaced(others, typed), ...typed])
    // The other words are chips now.
    setText(typed.find(isFreeText)?.value ?? '')
  }

  return (
    <search>
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <span className="pointer-events-none absolute left-2.5 top-2.5 text-quiet">
          <Icon name="search" size={14} />
        </span>
        <input
          ref={input}
          type="search"
          value={text}
          aria-label="Search mail"
          placeholder="Search, or from:shop tag:login"
          list="search-words"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.target.value)
            // The clear button of the field fires no submit event.
            if (event.target.value === '' && freeText !== '') onChange(terms.filter((term) => !isFreeText(term)))
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
          className="h-9 w-full rounded-md border border-line-strong/60 bg-raised pl-8 pr-10 text-sm max-sm:text-lg"
        />
        <datalist id="search-words">
          {[...WHOLE_WORDS, ...TERM_NAMES.map((name) => `${name}:`)].map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
        <span className="absolute right-0.5 top-0.5">
          <HelpButton />
        </span>
      </form>
      {terms.length > 0 && (
        <ul className="mt-2 flex flex-wrap gap-1" aria-label="Filters">
          {terms.map((term) => (
            <li key={formatTerm(term)} className="min-w-0">
              <TermChip term={term} onRemove={() => onChange(toggleTerm(terms, term))} />
            </li>
          ))}
        </ul>
      )}
      <Problems terms={terms} />
    </search>
  )
}

function isFreeText({ name, isNot }: Term): boolean {
  return name === 'q' && !isNot
}

function TermChip({ term, onRemove }: { term: Term; onRemove: () => void }) {
  const isProblem = problemOf(term) !== null
  const { name, value, isNot } = term
  const text = name === 'q' || name === 'unknown' ? value : `${name}: ${value}`
  return (
    <button
      type="button"
      aria-label={`Remove filter ${formatTerm(term)}`}
      onClick={onRemove}
      className={classNames(
        'flex min-h-6 max-w-full items-center gap-1 rounded-full pl-2.5 pr-1.5 text-xs hover:underline',
        isProblem
          ? 'bg-warn-soft text-warn underline decoration-wavy decoration-from-font underline-offset-2'
          : 'bg-accent-soft text-accent',
      )}
    >
      <bdi className="truncate">
        {isNot && 'not '}
        {visibleText(text)}
      </bdi>
      <Icon name="close" size={10} />
    </button>
  )
}

/** Says which words are not understood, and what happens with them. */
function Problems({ terms }: { terms: Term[] }) {
  const problems = terms.flatMap((term) => problemOf(term) ?? [])
  if (problems.length === 0) return null
  return (
    <p role="status" className="mt-2 text-xs text-warn">
      {visibleText(problems.join(' '))} {problems.length === 1 ? 'The marked word is' : 'The marked words are'} searched
      as text.
    </p>
  )
}

/** The help loads when it is first opened. */
function HelpButton() {
  const [isWanted, setWanted] = useState(false)
  const button = (props: ComponentProps<'button'>) => (
    <IconButton icon="help" label="Search help" aria-haspopup="dialog" {...props} />
  )
  if (!isWanted) return button({ onClick: () => setWanted(true) })
  return (
    <Suspense fallback={button({})}>
      <SearchHelp trigger={button({})} />
    </Suspense>
  )
}
