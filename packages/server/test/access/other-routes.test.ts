import { describe, expect, test } from 'vitest'
import { startOtherMatrix, type OtherCaller } from './other-matrix.ts'
import { OTHER_API_ROUTES } from './other-routes.ts'

const { tables, cellsFor, check } = await startOtherMatrix()
/** prove/access.prove.ts has all. */
const CALLERS: OtherCaller[] = ['no credentials', 'an api.full key', 'an owner of another team']

test('the table lists exactly the routes that are neither operations of the REST API nor procedures', () => {
  const existing = OTHER_API_ROUTES.map(({ method, path }) => `${method} ${path}`)
  expect(existing.length).toBeGreaterThan(20)
  expect(Object.keys(tables.API).sort()).toEqual(existing.sort())
})

describe('who may call what', () => {
  test.each(cellsFor(CALLERS))('$program, $name, $caller: $expected', async (cell) => {
    expect(await check(cell)).toBeNull()
  })
})
