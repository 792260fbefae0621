import { expect, test } from 'vitest'
import { deliverHostile } from './hostile-delivery.ts'
import { hostileMails } from './hostile-mail.ts'

test('hostile mail is accepted, listed and kept byte for byte, and delays no other mail', async () => {
  expect.hasAssertions()
  // The long form has all of them; hostile-mail.test.ts parses all.
  await deliverHostile(hostileMails().filter((_, index) => index % 3 === 0))
})
