import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { failureOf } from '../api/failure.ts'
import { queries } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { inboxQueries } from '../inbox/inbox-queries.ts'
import { visibleText } from '../inbox/safe-text.ts'
import { parseSearch, type Term } from '../inbox/search-terms.ts'
import { placeHref } from '../inbox/use-inbox-location.ts'
import { setPreference, usePreference } from '../preferences.ts'
import { SECTIONS } from '../settings/sections.ts'
import { copyText } from '../ui/copy-button.tsx'
import { notify } from '../ui/notices.ts'
import type { Command } from './command-filter.ts'
import { paletteQueries } from './palette-queries.ts'
import { useSignOut } from './use-sign-out.ts'

/** Mailboxes and addresses listed before the user types. */
const NAMES_SHOWN = 3

const THEMES = [
  { value: 'light', text: 'Light theme' },
  { value: 'dark', text: 'Dark theme' },
  { value: 'system', text: 'System theme' },
] as const

/** All commands of the palette, except the search. */
export function useCommands({ onShowShortcuts }: { onShowShortcuts: () => void }): Command[] {
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const theme = usePreference('theme')
  const { data: code } = useQuery(paletteQueries.newestCode)
  const { data: steps } = useQuery(inboxQueries.firstSteps)
  const { data: mailboxes = [] } = useQuery(queries.mailboxes)
  const { data: addresses = [] } = useQuery(paletteQueries.newestAddresses)
  const named = (kind: string, names: string[], hrefOf: (name: string) => string) =>
    names.map((name, index): Command => ({
      id: `${kind} ${name}`,
      text: visibleText(name),
      kind,
      icon: 'mailbox',
      isSearchOnly: index >= NAMES_SHOWN,
      run: () => navigate(hrefOf(name)),
    }))

  return [
    ...(code
      ? [
          {
            id: 'code',
            text: `Copy code ${code}`,
            kind: 'Newest',
            icon: 'copy' as const,
            run: () => void copyCode(code),
          },
        ]
      : []),
    ...(steps?.canSendSample
      ? [{ id: 'sample', text: 'Send a test mail', kind: 'Mail', icon: 'play' as const, run: sendSample }]
      : []),
    { id: 'inbox', text: 'Inbox', kind: 'Go to', icon: 'inbox', run: () => navigate('/') },
    ...named(
      'Mailbox',
      mailboxes.map(({ address }) => address),
      (value) => searchHref([{ name: 'mailbox', value }]),
    ),
    ...named('Address', addresses, (address) => `/a/${encodeURIComponent(address)}`),
    ...SECTIONS.map(({ path, text, icon }) => ({
      id: path,
      text,
      kind: 'Settings',
      icon,
      run: () => navigate(path),
    })),
    ...THEMES.filter(({ value }) => value !== theme).map(({ value, text }) => ({
      id: value,
      text,
      kind: 'Theme',
      icon: 'sun' as const,
      run: () => setPreference('theme', value),
    })),
    { id: 'keys', text: 'Keyboard shortcuts', kind: 'Help', icon: 'keyboard', run: onShowShortcuts },
    { id: 'signOut', text: 'Sign out', kind: 'Account', icon: 'signOut', run: () => signOut.run() },
  ]
}

/** A command that searches mail for the typed text; always the last one. */
export function useSearchCommand(typed: string): Command[] {
  const [, navigate] = useLocation()
  const terms = parseSearch(typed)
  if (terms.length === 0) return []
  return [
    {
      id: 'search',
      text: `Search mail for ${typed.trim()}`,
      kind: 'Mail',
      icon: 'search',
      run: () => navigate(searchHref(terms)),
    },
  ]
}

function searchHref(terms: Term[]): string {
  return placeHref({ id: null, terms, tab: null })
}

async function copyCode(code: string): Promise<void> {
  if (await copyText(code)) notify(`Copied ${code}`)
}

function sendSample(): void {
  trpc.inbox.firstSteps.sendSample.mutate().then(
    ({ to }) => notify(`Sent to ${to}`),
    (error: unknown) => notify(failureOf(error).message, { kind: 'bad' }),
  )
}
