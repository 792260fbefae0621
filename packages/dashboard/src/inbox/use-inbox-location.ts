import { useMemo } from 'react'
import { useLocation, useRoute, useSearch } from 'wouter'
import { formatSearch, parseSearch, type Term } from './search-terms.ts'

export const TAB_NAMES = ['html', 'text', 'links', 'attachments', 'headers', 'source', 'raw', 'json'] as const
export type TabName = (typeof TAB_NAMES)[number]

export type Place = { id: string | null; terms: Term[]; tab: TabName | null }

/** The state of the inbox that is in the URL, so that a link restores it. */
export function useInboxLocation() {
  const [, navigate] = useLocation()
  const [isMessage, message] = useRoute('/m/:id')
  const [isAddress, address] = useRoute('/a/:address')
  const search = useSearch()

  const id = isMessage ? message.id : null
  const named = isAddress ? decoded(address.address) : null
  const place = useMemo((): Place => {
    const given = new URLSearchParams(search)
    const typed = parseSearch(given.get('q') ?? '')
    const terms: Term[] = named === null ? typed : [{ name: 'mailbox', value: named }, ...typed]
    return { id, terms, tab: TAB_NAMES.find((name) => name === given.get('tab')) ?? null }
  }, [id, named, search])

  return {
    place,
    /** The URL for a changed state; fields not given stay the same. */
    hrefOf: (change: Partial<Place>) => placeHref({ ...place, ...change }),
    go: (change: Partial<Place>, options?: { replace: boolean }) =>
      navigate(placeHref({ ...place, ...change }), options),
  }
}

/** The router does not decode characters that have a meaning in paths, such as `%40` and `%2B`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The address contains a literal percent sign.
    return text
  }
}

export function placeHref({ id, terms, tab }: Place): string {
  const search = new URLSearchParams()
  if (terms.length > 0) search.set('q', formatSearch(terms))
  if (id !== null && tab !== null) search.set('tab', tab)
  const path = id === null ? '/' : `/m/${encodeURIComponent(id)}`
  return search.size > 0 ? `${path}?${search}` : path
}
