// Loaded before the program: intake of a mail with one of these subjects blocks the event loop, or uses
// memory, as a fault of the program would. Intake lower-cases subjects for the search.
const BLOCKING = 'blocking mail'
const BLOCKED_MS = 300
const AT_FIRST_BLOCKING = 'at first blocking mail'
const AT_FIRST_BLOCKED_MS = 1_200
const HOARDING = 'hoarding mail'
const HOARDED_BYTES = 1_100 * 1024 * 1024
const original = String.prototype.toLowerCase
let hasHoarded = false
let hasBlocked = false

// oxlint-disable-next-line no-extend-native -- a trap in what the program under test calls
String.prototype.toLowerCase = function toLowerCase(this: string): string {
  if (this.length < 100 && original.call(this) === BLOCKING) block(BLOCKED_MS)
  if (this.length < 100 && original.call(this) === AT_FIRST_BLOCKING) blockOnce()
  if (this.length < 100 && original.call(this) === HOARDING) hoard()
  return original.call(this)
}

function blockOnce(): void {
  if (hasBlocked) return
  hasBlocked = true
  block(AT_FIRST_BLOCKED_MS)
}

function block(ms: number): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1_000 >= ms) return
  }
}

function hoard(): void {
  if (hasHoarded) return
  hasHoarded = true
  // Written, because memory counts only then.
  Buffer.alloc(HOARDED_BYTES).fill(1)
}
