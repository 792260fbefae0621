import { fail, findingOf, type Finding } from '../finding.ts'

/**
 * Runs a check with a time limit, so that a part that does not respond cannot stop the others. At the limit the signal
 * fires, and the check closes what it has open.
 */
export async function within(limitMs: number, check: (signal: AbortSignal) => Promise<Finding>): Promise<Finding> {
  const over = new AbortController()
  const late = Promise.withResolvers<Finding>()
  const timer = setTimeout(() => {
    // First the finding: what the check reports about its end would hide it.
    late.resolve(fail(`no result within ${limitMs / 1000} s`, 'What this check looks at does not respond.'))
    over.abort()
  }, limitMs)
  try {
    return await Promise.race([check(over.signal).catch(findingOf), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
