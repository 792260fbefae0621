import { useEffect, useSyncExternalStore } from 'react'
import type { Outputs } from '../api/trpc.ts'
import type { MailSource } from './mail-source.ts'

export type Preview = Outputs['inbox']['messages']['previews'][number]

/** The server's limit per request. */
const IDS_MAX = 50
/** More than a user scrolls back through. */
const REMEMBERED_MAX = 2_000
/** Rows that are scrolled past faster than this are not requested. */
const SETTLE_MS = 60

let known: ReadonlyMap<string, Preview> = new Map()
const requested = new Set<string>()
const listeners = new Set<() => void>()

/** The previews that are loaded. Requests those of the given rows, once they are visible for a moment. */
export function usePreviews(source: MailSource, ids: string[]): ReadonlyMap<string, Preview> {
  const key = ids.join(' ')
  useEffect(() => {
    const timer = setTimeout(() => void load(source, key.split(' ').filter(Boolean)), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [source, key])
  return useSyncExternalStore(subscribe, () => known)
}

async function load(source: MailSource, ids: string[]): Promise<void> {
  const missing = ids.filter((id) => !known.has(id) && !requested.has(id))
  const [some, rest] = [missing.slice(0, IDS_MAX), missing.slice(IDS_MAX)]
  if (some.length === 0) return
  for (const id of some) requested.add(id)
  try {
    const found = await source.previews(some)
    // A message that was deleted meanwhile has an empty one, so that it is not requested again.
    const added = some.map((id): [string, Preview] => [
      id,
      found.find((preview) => preview.id === id) ?? { id, text: '', code: null },
    ])
    known = new Map([...known, ...added].slice(-REMEMBERED_MAX))
    for (const listener of listeners) listener()
  } catch {
    // The rows are readable without previews. The next scroll requests them again.
    return
  } finally {
    for (const id of some) requested.delete(id)
  }
  await load(source, rest)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
