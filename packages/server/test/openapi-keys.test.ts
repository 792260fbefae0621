import { describe, expect, test } from 'vitest'
import { scopesFor } from '../src/http/routes/access.ts'
import { ROUTES } from '../src/http/routes/routes.ts'
import { KEY_CELLS, startKeyMatrix, type KeyCaller } from './access/key-matrix.ts'
import { describedOperations } from './support/documented.ts'

const { tryCell } = await startKeyMatrix()

const WITH_KEY = ROUTES.filter(({ access }) => scopesFor(access))
/** These are refused like an unknown key. They are in prove/access.prove.ts. */
const LIKE_UNKNOWN: KeyCaller[] = [
  'a malformed key',
  'a revoked key',
  'the webhook secret',
  'a session instead of a key',
]
const CELLS = KEY_CELLS.filter(
  ({ id, caller }) => WITH_KEY.some((route) => route.id === id) && !LIKE_UNKNOWN.includes(caller),
)

describe('every operation with a key, with every kind of key', () => {
  test('control: such operations exist, and all below /v1 are among them', () => {
    expect(WITH_KEY.length).toBeGreaterThan(12)
    expect(ROUTES.filter(({ path }) => path.startsWith('/v1'))).toEqual(WITH_KEY)
  })

  test('the document names the scopes that the routes declare', () => {
    for (const { operation } of describedOperations) {
      const { access } = ROUTES.find(({ id }) => id === operation.operationId)!
      expect(operation.security.flatMap(({ apiKey = [] }) => apiKey)).toEqual(scopesFor(access) ?? [])
    }
  })

  test.each(CELLS)('$id with $caller: $outcome', async (cell) => {
    expect(await tryCell(cell)).toEqual({ outcome: cell.outcome, permitted: 'success' })
  })
})
