import { expect, test } from 'vitest'
import { addressLines } from './address-lines.ts'

const ann = { address: 'ann@shop.example', name: 'Ann Lee' }
const bob = { address: 'Bob@shop.example', name: null }
const qa = { address: 'QA@mailhatch.test', name: 'Quality' }

const texts = (message: Parameters<typeof addressLines>[0]) =>
  addressLines(message).map(
    ({ name, addresses, note }) =>
      `${name}: ${addresses.map(({ address }) => address).join(', ')}${note === null ? '' : ` (${note})`}`,
  )

test.each([
  [
    'is first in To',
    { toAll: [ann, qa], cc: [bob] },
    ['To: qa@mailhatch.test, ann@shop.example', 'Cc: Bob@shop.example'],
  ],
  ['is in To twice', { toAll: [qa, ann, qa], cc: [] }, ['To: qa@mailhatch.test, ann@shop.example']],
  ['is alone without headers', { toAll: [], cc: [] }, ['To: qa@mailhatch.test']],
  ['is alone if only others are in Cc', { toAll: [], cc: [bob] }, ['To: qa@mailhatch.test', 'Cc: Bob@shop.example']],
  [
    'is in Cc',
    { toAll: [ann], cc: [qa] },
    ['To: ann@shop.example', 'Cc: QA@mailhatch.test', 'Delivered to: qa@mailhatch.test (Cc)'],
  ],
  [
    'is in Bcc',
    { toAll: [ann], cc: [bob] },
    ['To: ann@shop.example', 'Cc: Bob@shop.example', 'Delivered to: qa@mailhatch.test (Bcc)'],
  ],
])('the recipient of the copy %s', (_, headers, lines) => {
  expect(texts({ to: 'qa@mailhatch.test', ...headers })).toEqual(lines)
})
