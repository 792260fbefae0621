import { test } from 'vitest'
import type { Attack } from './isolation-attack.ts'
import { openIsolation } from './isolation-run.ts'

const showIsolated = await openIsolation()

// All of them, in the dashboard itself, are in prove/isolation.prove.ts.
test('dozens of hostile mails of every kind run nothing and reach no server; without our frame they do', () =>
  showIsolated(someOfEachKind, 60))

/** A kind of more mails than this has enough of them that work without our frame, so some of them are left out. */
const SMALL_KIND = 8

function someOfEachKind(all: Attack[]): Attack[] {
  const kinds = Map.groupBy(all, ({ kind }) => kind)
  return Array.from(kinds.values()).flatMap((ofKind) =>
    ofKind.filter((_, index) => index % 8 === 0 || ofKind.length <= SMALL_KIND),
  )
}
