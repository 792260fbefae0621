import { randomBytes } from 'node:crypto'

// Random once a process and counted from there: unique enough to find a line in a log, and free.
const process = randomBytes(6).toString('base64url')
let count = 0

export function newRequestId(): string {
  count++
  return `${process}-${count.toString(36)}`
}
