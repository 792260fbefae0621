import { expect, test } from 'vitest'
import type { KnownScript } from './scenario.ts'
import { ScriptIndex } from './script-index.ts'

const script = (values: Partial<KnownScript>): KnownScript => ({
  teamId: 'team',
  id: `${values.match} ${values.tag}`,
  domain: 'in.test',
  mailbox: 'qa',
  tag: null,
  match: 'exact',
  ...values,
})
const exact = script({ tag: 'a', match: 'exact' })
const prefix = script({ tag: 'a', match: 'prefix' })
const whole = script({ tag: null, match: 'prefix' })
const address = { domain: 'in.test', mailbox: 'qa', tag: 'a' as string | null }

const idFor = (scripts: KnownScript[], values: Partial<typeof address> = {}) =>
  new ScriptIndex(scripts).find({ ...address, ...values })?.id ?? null

test('an exact address is that tag only, a prefix all tags that begin with it', () => {
  expect(idFor([exact])).toBe(exact.id)
  expect(idFor([exact], { tag: 'ab' })).toBeNull()
  expect(idFor([exact], { tag: null })).toBeNull()
  const withoutTag = script({ tag: null })
  expect(idFor([withoutTag], { tag: null })).toBe(withoutTag.id)
  expect(idFor([withoutTag])).toBeNull()
  expect(idFor([prefix], { tag: 'ab' })).toBe(prefix.id)
  expect(idFor([prefix], { tag: 'ba' })).toBeNull()
  expect(idFor([prefix], { tag: null })).toBeNull()
  expect(idFor([whole], { tag: null })).toBe(whole.id)
  expect(idFor([whole], { mailbox: 'qa2' })).toBeNull()
  expect(idFor([whole], { domain: 'other.test' })).toBeNull()
  expect(idFor([])).toBeNull()
})

test('the most exact script decides', () => {
  const longer = script({ tag: 'ab', match: 'prefix' })
  const scripts = [whole, prefix, exact, longer]
  for (const order of [scripts, scripts.toReversed()]) {
    expect(idFor(order)).toBe(exact.id)
    expect(idFor(order, { tag: 'abc' })).toBe(longer.id)
    expect(idFor(order, { tag: 'ac' })).toBe(prefix.id)
    expect(idFor(order, { tag: 'b' })).toBe(whole.id)
  }
})

test('mail for an address of a mailbox with 2,000 scripts looks at none of the others', () => {
  let looks = 0
  const counted = (values: Partial<KnownScript>) =>
    new Proxy(script(values), {
      get(target, name) {
        looks++
        return Reflect.get(target, name)
      },
    })
  const scripts = Array.from({ length: 1_000 }, (_, number) => [
    counted({ tag: `tag-${number}` }),
    counted({ tag: `tag-${number}-`, match: 'prefix' }),
  ])
  const index = new ScriptIndex(scripts.flat())
  looks = 0
  expect(index.find({ ...address, tag: 'plain' })).toBeNull()
  expect(index.find({ ...address, tag: 'tag-1000' })).toBeNull()
  expect(index.find({ ...address, tag: null })).toBeNull()
  expect(looks).toBe(0)
  expect(index.find({ ...address, tag: 'tag-999-b' })?.match).toBe('prefix')
})
