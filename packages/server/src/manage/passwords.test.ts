import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords()

test('a password matches only its own hash', async () => {
  const [one, again] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')]
  expect(one).not.toBe(again)
  expect(await passwords.matches('correct horse', one)).toBe(true)
  expect(await passwords.matches('correct horse', again)).toBe(true)
  expect(await passwords.matches('correct hors', one)).toBe(false)
  expect(await passwords.matches('', one)).toBe(false)
  expect(await passwords.matches('correct horse', null)).toBe(false)
})

test('a hash of the reference implementation is accepted, with its own cost parameters', async () => {
  // A published test vector.
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  expect(await passwords.matches('password', hash)).toBe(true)
  expect(await passwords.matches('passwore', hash)).toBe(false)
})

test('the same letters match in any Unicode form', async () => {
  const composed = await passwords.hash('na\u00efve caf\u00e9 au lait')
  expect(await passwords.matches('nai\u0308ve cafe\u0301 au lait', composed)).toBe(true)
})

test('checking without a hash takes as much processor time as with one', async () => {
  const hash = await passwords.hash('correct horse')
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let round = 0; round < 5; round++) {
    for (const [name, given] of [
      ['known', hash],
      ['unknown', null],
    ] as const) {
      const before = process.cpuUsage()
      await passwords.matches('wrong horse', given)
      const { user, system } = process.cpuUsage(before)
      times[name].push(user + system)
    }
  }
  const fastest = (list: number[]) => Math.min(...list)
  const ratio = fastest(times.unknown) / fastest(times.known)
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})

test('with a full queue a hash is refused with 503, and queued ones are completed', async () => {
  const busy = createPasswords()
  const cheap = `$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$${'A'.repeat(43)}`
  // Two are being hashed, 200 are queued.
  const asked = Array.from({ length: 205 }, () => busy.matches('correct horse', cheap))
  const results = await Promise.allSettled(asked)
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ reason: { code: 'server_busy', headers: { 'retry-after': '5' } } })
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(202)
  expect(await busy.matches('correct horse', await busy.hash('correct horse'))).toBe(true)
})
