import { describe, expect, test } from 'vitest'
import type { PeerName } from '../../src/compat/peers.ts'
import { DOOR_CASES } from './door-cases.ts'
import { doorRoutes, startDoorMatrix, type DoorCaller } from './door-matrix.ts'

/** prove/access.prove.ts has all. */
const CALLERS: DoorCaller[] = [
  'no credentials',
  'an api.full key',
  'an email.full key',
  'a key of another mailbox',
  'a key of another team',
]

// The keys of a Record are its type's.
for (const peer of Object.keys(DOOR_CASES) as PeerName[]) {
  const { rows, cellsFor, check } = await startDoorMatrix(peer)

  test(`the table lists exactly the routes of ${peer}'s API`, () => {
    const existing = doorRoutes(peer).map(({ method, path }) => `${method} ${path}`)
    expect(Object.keys(rows).sort()).toEqual(existing.sort())
  })

  describe(`who may call what through ${peer}'s API`, () => {
    test.each(cellsFor(CALLERS, ['API']))('$entry, $name, $caller: $expected', async (cell) => {
      expect(await check(cell)).toBeNull()
    })
  })
}
