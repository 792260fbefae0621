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

const ON_PORT: DoorCaller[] = ['no credentials', 'an email.full key', 'a key of another team']

// The keys of a Record are its type's.
for (const peer of Object.keys(DOOR_CASES) as PeerName[]) {
  const { rows, cellsFor, check } = await startDoorMatrix(peer)

  test(`the table lists exactly the routes of ${peer}'s API`, () => {
    const existing = doorRoutes(peer).map(({ method, path }) => `${method} ${path}`)
    const listed = new Set(Object.keys(rows).map((name) => name.split(' ').slice(0, 2).join(' ')))
    // A WebSocket is no route of the router: its row succeeds only if it can be opened.
    const routes = Array.from(listed).filter((name) => !name.startsWith('WebSocket'))
    expect(routes.sort()).toEqual(existing.sort())
  })

  describe(`who may call what through ${peer}'s API`, () => {
    test.each([...cellsFor(CALLERS, ['API']), ...cellsFor(ON_PORT, ['port'])])(
      '$entry, $name, $caller: $expected',
      async (cell) => {
        expect(await check(cell)).toBeNull()
      },
    )
  })
}
