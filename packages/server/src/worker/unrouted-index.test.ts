import { expect, test } from 'vitest'
import { metadataKey, type MessageLocation } from '../domain/object-keys.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { createUnroutedIndex, type UnroutedIndex } from './unrouted-index.ts'

const SEED = 17
const STEPS = 600
const DOMAINS = ['gmail.com', 'corp.example', 'x--y.example', '[127.0.0.1]']

test('counts, domains, pages and places are those of a plain list, after any additions and removals', () => {
  console.log(`seed ${SEED}`)
  const random = seededRandom(SEED)
  const index = createUnroutedIndex()
  const plain = new Map<string, MessageLocation>()
  for (let step = 0; step < STEPS; step++) {
    const digits = String(random.below(400)).padStart(12, '0')
    const id = `0199a3c2-7d41-7a52-9c39-${digits}`
    const known = plain.get(id)
    if (known) {
      plain.delete(id)
      index.remove(metadataKey('unprocessed', known))
      index.remove(metadataKey('unprocessed', known))
    } else {
      const mail = { id, domain: random.pick(DOMAINS), mailbox: random.pick(['anna', '"a b"', 'qa']) }
      plain.set(id, mail)
      index.add(metadataKey('unprocessed', mail))
      index.add(metadataKey('unprocessed', mail))
    }
    if (step % 100 === 0) expectEqual(index, plain)
  }
  expectEqual(index, plain)
  for (const mail of plain.values()) index.remove(metadataKey('unprocessed', mail))
  expectEqual(index, new Map())
})

function expectEqual(index: UnroutedIndex, plain: Map<string, MessageLocation>): void {
  expect(index.count()).toBe(plain.size)
  const mails = Array.from(plain.values())
  const counts = DOMAINS.map((domain) => ({ domain, count: mails.filter((mail) => mail.domain === domain).length }))
  const byCount = counts
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count || (one.domain < other.domain ? -1 : 1))
  expect(index.domains(10)).toEqual(byCount)
  expect(index.domains(2)).toEqual(byCount.slice(0, 2))
  const seen: MessageLocation[] = []
  for (;;) {
    const page = index.newest({ before: seen.at(-1)?.id ?? null, limit: 70 })
    if (page.length === 0) break
    seen.push(...page)
  }
  expect(seen).toEqual(mails.toSorted((one, other) => (one.id < other.id ? 1 : -1)))
  for (const mail of mails) expect(index.find(mail.id)).toEqual(mail)
}

test('objects that are not ours are ignored, and unknown ids are not found', () => {
  const index = createUnroutedIndex()
  index.add('messages/unprocessed/readme.txt')
  expect(index.count()).toBe(0)
  expect(index.newest({ before: null, limit: 5 })).toEqual([])
  expect(index.find('readme')).toBeNull()
})
