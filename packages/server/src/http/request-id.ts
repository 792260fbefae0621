import { randomBytes } from 'node:crypto'

// A random prefix per process and a counter: unique enough to find a line in a log, and cheap.
const prefix = randomBytes(6).toString('base64url')
let count = 0

export function newRequestId(): string {
  count++
  return `${prefix}-${count.toString(36)}`
}
