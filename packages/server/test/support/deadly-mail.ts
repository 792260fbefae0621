// Loaded before the program: intake of a mail with this subject ends the process, like running out of
// memory or a crash in native code. Intake lower-cases subjects for the search.
const DEADLY = 'deadly mail'
const original = String.prototype.toLowerCase

// oxlint-disable-next-line no-extend-native -- a trap in what the program under test calls
String.prototype.toLowerCase = function toLowerCase(this: string): string {
  if (this.length < 100 && original.call(this).includes(DEADLY) && stackOf().includes('new-message')) {
    process.kill(process.pid, 'SIGKILL')
  }
  return original.call(this)
}

function stackOf(): string {
  const at: { stack?: string } = {}
  Error.captureStackTrace(at)
  return at.stack ?? ''
}
