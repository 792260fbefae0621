import { reasonOf } from '../../domain/reason.ts'
import { joined, ok, skip, warn, type Finding } from '../finding.ts'
import type { Installation } from './installation.ts'

/** As for `mailhatch doctor`: with more, times that a test compares are off. */
const SKEW_MS_MAX = 5_000
const RESPONSE_MS_MAX = 5_000
/** The Date header has whole seconds. */
const HEADER_STEP_MS = 1_000

const ADVICE = 'Let all machines take their time from the same servers (NTP): timedatectl status.'

export async function checkClock(installation: Installation, now: () => number = Date.now): Promise<Finding> {
  const { database } = installation
  const parts = [await compareWithApi(installation, now)]
  if (database !== null && 'url' in database) parts.push(await compareWithDatabase(installation, now))
  return joined(parts)
}

async function compareWithApi({ apiUrl }: Installation, now: () => number): Promise<Finding> {
  if (apiUrl === '') return skip('no API is configured')
  try {
    const sentAt = now()
    const response = await fetch(`${apiUrl}/health`, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) })
    const receivedAt = now()
    await response.body?.cancel()
    const theirs = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(theirs)) return skip(`${apiUrl} sends no Date header`)
    // Their clock was somewhere in that second, while ours went from one time to the other.
    const aheadMs = Math.max(0, theirs - receivedAt) - Math.max(0, sentAt - (theirs + HEADER_STEP_MS))
    return judge(`the API at ${apiUrl}`, aheadMs, 'apiAheadMs')
  } catch (error) {
    return skip(`no API responds at ${apiUrl} (${reasonOf(error)})`)
  }
}

async function compareWithDatabase({ postgres }: Installation, now: () => number): Promise<Finding> {
  const offsetMs = Date.now() - now()
  try {
    const { clockAheadMs } = await postgres()
    return judge('PostgreSQL', clockAheadMs + offsetMs, 'databaseAheadMs')
  } catch {
    // The check of the database reports why.
    return skip('PostgreSQL does not respond')
  }
}

function judge(name: string, aheadMs: number, figure: string): Finding {
  const seconds = Math.abs(aheadMs) / 1_000
  const figures = { [figure]: Math.round(aheadMs) }
  if (Math.abs(aheadMs) <= SKEW_MS_MAX) return ok(`${name} has the same time, within ${seconds.toFixed(1)} s`, figures)
  return warn(
    `the clock of ${name} is ${seconds.toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`,
    ADVICE,
    figures,
  )
}
