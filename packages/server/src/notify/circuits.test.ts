import { expect, test } from 'vitest'
import { createCircuits } from './circuits.ts'

test('five failures in a row open the circuit, and one success closes it', () => {
  const circuits = createCircuits()
  for (let failure = 1; failure <= 4; failure++) circuits.record('shop', failure % 2 ? 500 : null)
  expect(circuits.isOpen('shop')).toBe(false)
  circuits.record('shop', 302)
  expect(circuits.isOpen('shop')).toBe(true)
  expect(circuits.open()).toEqual(['shop'])
  circuits.record('shop', 204)
  expect(circuits.isOpen('shop')).toBe(false)
  expect(circuits.open()).toEqual([])
})

test('a success ends the row of failures', () => {
  const circuits = createCircuits()
  for (const status of [500, 500, 500, 500, 200, 500]) circuits.record('shop', status)
  expect(circuits.isOpen('shop')).toBe(false)
})

test.each([429, 502, 503, 504])('%i opens the circuit at once', (status) => {
  const circuits = createCircuits()
  circuits.record('shop', status)
  expect(circuits.open()).toEqual(['shop'])
})

test('each endpoint has its own circuit', () => {
  const circuits = createCircuits()
  for (let failure = 1; failure <= 5; failure++) circuits.record('shop', 500)
  circuits.record('other', 500)
  expect(circuits.open()).toEqual(['shop'])
})

test('the number of remembered failing endpoints is bounded', () => {
  const circuits = createCircuits()
  for (let number = 0; number <= 10_000; number++) circuits.record(`endpoint ${number}`, 503)
  expect(circuits.open()).toHaveLength(10_000)
  expect(circuits.isOpen('endpoint 0')).toBe(false)
  expect(circuits.isOpen('endpoint 10000')).toBe(true)
})
