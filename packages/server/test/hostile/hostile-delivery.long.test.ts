import { expect, test } from 'vitest'
import { deliverHostile } from './hostile-delivery.ts'
import { hostileMails } from './hostile-mail.ts'

test('all hostile mail is accepted, listed and kept byte for byte, and delays no other mail', async () => {
  expect.hasAssertions()
  await deliverHostile(hostileMails())
})
