import { expect, test } from 'vitest'
import { ConnectionLimits } from './connection-limits.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { TOO_MANY_CONNECTIONS, TOO_MANY_FROM_ADDRESS, TOO_MANY_NEW_FROM_ADDRESS } from './replies.ts'

const ADDRESS = '192.0.2.1'

test('limit: the 51st connection of an address is refused until one of the others ends', () => {
  const limits = new ConnectionLimits({ ...DEFAULT_LIMITS, newConnectionsPerAddressMax: 1_000 })
  for (let count = 1; count <= 50; count++) expect(limits.enter(ADDRESS, 0)).toBeNull()
  expect(limits.enter(ADDRESS, 0)).toBe(TOO_MANY_FROM_ADDRESS)
  expect(limits.enter('192.0.2.2', 0)).toBeNull()
  limits.leave(ADDRESS)
  expect(limits.enter(ADDRESS, 0)).toBeNull()
})

test('limit: the 31st new connection of an address in 10 s is refused, and accepted after that', () => {
  const limits = new ConnectionLimits(DEFAULT_LIMITS)
  for (let count = 1; count <= 30; count++) {
    expect(limits.enter(ADDRESS, 0)).toBeNull()
    limits.leave(ADDRESS)
  }
  expect(limits.enter(ADDRESS, 9_999)).toBe(TOO_MANY_NEW_FROM_ADDRESS)
  expect(limits.enter('192.0.2.2', 9_999)).toBeNull()
  expect(limits.enter(ADDRESS, 10_000)).toBeNull()
})

test('limit: the 2,001st connection is refused, whatever its address', () => {
  const limits = new ConnectionLimits(DEFAULT_LIMITS)
  for (let count = 1; count <= 2_000; count++) expect(limits.enter('127.0.0.1', 0)).toBeNull()
  expect(limits.enter('127.0.0.1', 0)).toBe(TOO_MANY_CONNECTIONS)
  expect(limits.enter(ADDRESS, 0)).toBe(TOO_MANY_CONNECTIONS)
  limits.leave('127.0.0.1')
  expect(limits.enter(ADDRESS, 0)).toBeNull()
})

test.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
  'loopback %s is exempt from the limits per address',
  (address) => {
    const limits = new ConnectionLimits(DEFAULT_LIMITS)
    for (let count = 1; count <= 200; count++) expect(limits.enter(address, 0)).toBeNull()
    expect(limits.open).toBe(200)
  },
)

test('a sweep forgets only addresses with nothing open and no recent connection', () => {
  const limits = new ConnectionLimits({ ...DEFAULT_LIMITS, newConnectionsPerAddressMax: 1 })
  limits.enter(ADDRESS, 0)
  limits.leave(ADDRESS)
  limits.sweep(9_999)
  expect(limits.enter(ADDRESS, 9_999)).toBe(TOO_MANY_NEW_FROM_ADDRESS)
  limits.sweep(10_000)
  expect(limits.enter(ADDRESS, 10_000)).toBeNull()
})
