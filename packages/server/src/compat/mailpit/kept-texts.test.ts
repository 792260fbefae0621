import { expect, test } from 'vitest'
import { createKeptTexts } from './kept-texts.ts'

const keysOf = (count: number, from = 0) => Array.from({ length: count }, (_, index) => ({ receivedAt: from + index }))

test('texts of older messages give way to those of newer ones, and do not come back', () => {
  const texts = createKeptTexts<{ receivedAt: number }>(1_000)
  const [old, recent] = [keysOf(100), keysOf(50, 100)]
  // As a search reads them, newest first.
  for (const key of old.toReversed()) texts.keep(key, 'x'.repeat(10))
  expect(old.every((key) => texts.get(key) !== undefined)).toBe(true)
  for (const key of recent) texts.keep(key, 'x'.repeat(10))
  expect(recent.every((key) => texts.get(key) !== undefined)).toBe(true)
  const left = old.filter((key) => texts.get(key) !== undefined)
  expect(left).toEqual(old.slice(-left.length))
  expect(left.length).toBeGreaterThanOrEqual(25)
  expect(left.length).toBeLessThanOrEqual(50)
  texts.keep(old[0]!, 'x')
  expect(texts.get(old[0]!)).toBeUndefined()
})

test('after many were forgotten, older ones fit again; a text beyond its own limit never does', () => {
  const texts = createKeptTexts<{ receivedAt: number }>(100_000)
  const keys = keysOf(20)
  for (const key of keys.toReversed()) texts.keep(key, 'x'.repeat(10_000))
  expect(texts.get(keys[0]!)).toBeUndefined()
  for (const key of keys) texts.forget(key)
  texts.keep(keys[0]!, 'again')
  expect(texts.get(keys[0]!)).toBe('again')
  texts.keep(keys[1]!, 'x'.repeat(65_537))
  expect(texts.get(keys[1]!)).toBeUndefined()
})
