import { expect, test } from 'vitest'
import { createSuspectTurns } from './suspect-turns.ts'

/** Other mail in flight, and a clock that only moves when it is told to. */
function given({ inFlight = 0 } = {}) {
  const state = { inFlight, at: 0, othersProbe: false }
  const turns = createSuspectTurns({
    leastSuspect: ([first]) => first,
    inFlightCount: () => state.inFlight,
    othersProbe: () => state.othersProbe,
    now: () => state.at,
  })
  return { state, turns }
}

test('without a suspect, other mail flows', () => {
  expect(given({ inFlight: 3 }).turns.next()).toBe('others')
})

test('suspects follow one another without other mail beside them, and then other mail flows for twice as long', () => {
  const { state, turns } = given({ inFlight: 1 })
  turns.add('a')
  turns.add('b')
  expect(turns.next()).toBe('nothing')
  state.at = 400
  state.inFlight = 0
  expect(turns.next()).toEqual({ suspect: 'a' })
  expect(turns.next()).toBe('nothing')
  turns.ended('a')
  expect(turns.next()).toEqual({ suspect: 'b' })
  turns.ended('b')
  turns.add('c')
  state.at = 1_199
  expect(turns.next()).toBe('others')
  state.at = 1_200
  expect(turns.next()).toEqual({ suspect: 'c' })
})

test('a suspect whose attempt takes long does not keep other mail waiting', () => {
  const { state, turns } = given()
  turns.add('a')
  turns.add('b')
  expect(turns.next()).toEqual({ suspect: 'a' })
  state.inFlight = 1
  state.at = 4_999
  expect(turns.next()).toBe('nothing')
  expect(turns.alone()).toBe('a')
  state.at = 5_000
  expect(turns.next()).toBe('others')
  expect(turns.alone()).toBeNull()
  // Its end comes late, while the other one is alone.
  state.at = 20_000
  state.inFlight = 0
  expect(turns.next()).toEqual({ suspect: 'b' })
  turns.ended('a')
  expect(turns.alone()).toBe('b')
})

test('mail in flight that gets no response lets other mail flow, and the next suspect waits for it twice as long', () => {
  const { state, turns } = given({ inFlight: 1 })
  turns.add('a')
  const waitedFrom = (at: number) => {
    state.at = at
    let waited = 0
    while (turns.next() === 'nothing') state.at = at + ++waited
    return waited
  }
  expect(waitedFrom(0)).toBe(1_000)
  state.at = 2_999
  expect(turns.next()).toBe('others')
  expect(waitedFrom(3_000)).toBe(2_000)
})

test('a series of suspects ends after a second', () => {
  const { state, turns } = given()
  for (const key of ['a', 'b', 'c']) turns.add(key)
  expect(turns.next()).toEqual({ suspect: 'a' })
  state.at = 600
  turns.ended('a')
  expect(turns.next()).toEqual({ suspect: 'b' })
  state.at = 1_000
  turns.ended('b')
  expect(turns.next()).toBe('others')
})

test('other mail finds out that the API is back', () => {
  const { state, turns } = given()
  turns.add('a')
  state.othersProbe = true
  expect(turns.next()).toBe('others')
  state.othersProbe = false
  expect(turns.next()).toEqual({ suspect: 'a' })
})
