import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether `x-service-signature` is valid for this secret and body, and at most five minutes old. */
export function isFromMailhatch(secret, body, signatureHeader) {
  const fields = signatureHeader.split(',').map((field) => field.split('='))
  const seconds = fields.find(([name]) => name === 't')?.[1]
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
  const given = fields.filter(([name]) => name === 'v1').map(([, hex]) => Buffer.from(hex, 'hex'))
  const isRight = given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
  return isRight && Math.abs(Date.now() / 1000 - Number(seconds)) <= 300
}
