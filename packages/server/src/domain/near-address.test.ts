import { expect, test } from 'vitest'
import { isNearAddress } from './near-address.ts'

const mailbox = (name: string, tag: string | null = null) => ({ mailbox: { name, tag, domain: 'mailhatch.test' } })

test.each([
  ['another domain', mailbox('qa', 'signup'), 'qa+signup@gmail.com'],
  ['a typo in the tag', mailbox('qa', 'signup'), 'qa+singup@mailhatch.test'],
  ['a typo in the mailbox', mailbox('orders'), 'oders@mailhatch.test'],
  ['the tag in another mailbox', mailbox('qa', 'signup'), 'test+signup@mailhatch.test'],
  ['any tag, if none is wanted', mailbox('qa'), 'qa+other@gmail.com'],
  ['the same tag', { tag: 'signup' }, 'qa+signup@gmail.com'],
  ['a part of the address', { to: ['qa+sign'] }, 'qa+signup@gmail.com'],
  ['the whole address, elsewhere', { to: ['qa+signup@mailhatch.test'] }, 'QA+Signup@gmail.com'],
  ['an address, without one in the filter', {}, 'anna@gmail.com'],
  ['an unknown recipient', mailbox('qa'), ''],
])('near: %s', (_, filter, address) => {
  expect(isNearAddress(filter, address)).toBe(true)
})

test.each([
  ['another name', mailbox('qa', 'signup'), 'anna@gmail.com'],
  ['the tag of a parallel test', mailbox('qa', 'k3v9t0mzqa'), 'qa+x8c2b7n5md@gmail.com'],
  ['another tag', { tags: ['one-tag', 'two-tag'] }, 'qa+other@gmail.com'],
  ['only the domain', { to: ['qa+signup@mailhatch.test'] }, 'orders@mailhatch.test'],
])('not near: %s', (_, filter, address) => {
  expect(isNearAddress(filter, address)).toBe(false)
})
