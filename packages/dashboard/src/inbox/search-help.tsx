import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement } from 'react'

const WORDS = [
  { word: 'your code', meaning: 'this text in the subject, sender, recipient or body' },
  { word: 'from:shop', meaning: 'part of the sender; also to:, subject:, text:' },
  { word: 'mailbox:qa', meaning: 'a mailbox, with its tag (qa+login) or domain' },
  { word: 'tag:login', meaning: 'a tag; several mean any of them' },
  { word: 'header:X-Run:42', meaning: 'a header with exactly this value' },
  { word: 'has:attachment', meaning: 'with attachments; has:code with a code' },
  { word: 'is:unread', meaning: 'not opened yet by a member of the team' },
  { word: 'after:2026-01-31', meaning: 'from this day on; also today, yesterday, 2h, 7d' },
  { word: 'before:2026-01-31', meaning: 'before this day' },
  { word: 'larger:500k', meaning: 'by size; also smaller:2mb' },
  { word: '-from:shop', meaning: 'a minus sign leaves matches out, before any word' },
]

/** Explains the words of the search box. Opens when it is mounted. */
export default function SearchHelp({ trigger }: { trigger: ReactElement }) {
  return (
    <Base.Root defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={6} collisionPadding={8} className="z-50 outline-none">
          <Base.Popup className="w-96 max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-raised p-4 text-sm shadow-float outline-none">
            <Base.Title className="font-semibold">Search words</Base.Title>
            <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
              {WORDS.map(({ word, meaning }) => (
                <div key={word} className="contents">
                  <dt className="font-mono text-xs/5 text-accent">{word}</dt>
                  <dd className="text-quiet">{meaning}</dd>
                </div>
              ))}
            </dl>
            <Base.Description className="mt-3 border-t border-line pt-2 text-xs text-quiet">
              Text in quotes is never a search word: <code>"from:shop"</code>. In the API, <code>q</code> is always
              text.
            </Base.Description>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
