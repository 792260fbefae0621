// A killed `npx mailhatch` or `npm start` must not leave the program running. npm runs it through a shell: on SIGTERM, npm ends
// only the shell, and on SIGKILL not even that.
import { readFileSync } from 'node:fs'

/** Short enough for the next start to find its ports free. */
const CHECK_MS = 500
/** A script that only runs Mailhatch. Others may start it in the background on purpose: `mailhatch serve & next dev`. */
const ONLY_MAILHATCH = /^(node )?\S*\bmailhatch(\.js)?'?( [^&]*)?$/
const SHELL = /^(ba|da|k|z)?sh$/

/** Stops this process as SIGTERM does when the npm that started it has ended. */
export function stopWithNpm() {
  if (!ONLY_MAILHATCH.test(process.env['npm_lifecycle_script'] ?? '')) return
  const first = findAncestors()
  const timer = setInterval(() => {
    if (findAncestors() === first) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, CHECK_MS)
  timer.unref()
}

/** The parent process and, if that is a shell, its parent. A process gets another parent when its own ends. */
function findAncestors() {
  const parent = process.ppid
  try {
    // "<id> (<name>) <state> <parent> …", on Linux. Other systems' shells replace themselves by the only command they run.
    const [, name, shellParent] = /\((.*)\) \S+ (\d+)/.exec(readFileSync(`/proc/${parent}/stat`, 'utf8'))
    return SHELL.test(name) ? `${parent} ${shellParent}` : `${parent}`
  } catch {
    return `${parent}`
  }
}
