import { useEffect, useState, type RefObject } from 'react'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from './safe-text.ts'
import { formatTerm, parseSearch, TERM_NAMES, toggleTerm, type Term } from './search-terms.ts'

type Props = { terms: Term[]; input: RefObject<HTMLInputElement | null>; onChange: (terms: Term[]) => void }

/** A search field, with the active filters as chips below it. */
export function SearchBox({ terms, input, onChange }: Props) {
  const [text, setText] = useState('')
  const freeText = terms.find(({ name }) => name === 'q')?.value ?? ''
  useEffect(() => setText(freeText), [freeText])

  function search(): void {
    const others = terms.filter(({ name }) => name !== 'q')
    const typed = parseSearch(text)
    const replaced = others.filter(({ name }) => name === 'tag' || !typed.some((term) => term.name === name))
    onChange([...replaced, ...typed])
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
            if (event.target.value === '' && freeText !== '') onChange(terms.filter(({ name }) => name !== 'q'))
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
          className="h-9 w-full rounded-md border border-line-strong/60 bg-raised pl-8 pr-2 text-sm max-sm:text-lg"
        />
        <datalist id="search-words">
          {TERM_NAMES.map((name) => (
            <option key={name} value={`${name}:`} />
          ))}
        </datalist>
      </form>
      {terms.length > 0 && (
        <ul className="mt-2 flex flex-wrap gap-1" aria-label="Filters">
          {terms.map((term) => (
            <li key={formatTerm(term)} className="min-w-0">
              <button
                type="button"
                aria-label={`Remove filter ${formatTerm(term)}`}
                onClick={() => onChange(toggleTerm(terms, term))}
                className="flex min-h-6 max-w-full items-center gap-1 rounded-full bg-accent-soft pl-2.5 pr-1.5 text-xs text-accent hover:underline"
              >
                <bdi className="truncate">
                  {visibleText(term.name === 'q' ? term.value : `${term.name}: ${term.value}`)}
                </bdi>
                <Icon name="close" size={10} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}
