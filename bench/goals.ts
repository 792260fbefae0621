import { BUILT, COLD_START, IDLE_MEMORY } from './measures/memory.ts'
import { SYNCED_WRITE } from './measures/latency.ts'
import { BARE_HTTP, LATEST_SCENARIO } from './measures/latest.ts'
import { BARE_BUCKET, LARGE_50, SMALL_50, SMALL_ONCE, type SmtpScenario } from './measures/smtp.ts'
import { IDLE, PURGE_SCENARIO, PURGING } from './measures/purge.ts'
import { HOLDING, WOKEN } from './measures/waiters.ts'
import type { Measure } from './options.ts'
import { MAILDEV } from './references/maildev.ts'
import { MAILHATCH, ratio, type Results, type Series } from './results.ts'
import { median } from './statistics.ts'

/** Null if it was not measured. */
export type Goal = { goal: string; figure: number | null; unit: string; isMet: boolean | null }

type Bound = { atLeast: number } | { atMost: number }

const TIMES = '×'

export function judgeGoals(results: Results): Goal[] {
  const find = (measure: Measure, scenario: string, subject = MAILHATCH) => results.find({ measure, scenario, subject })
  const smtpRatio = ({ name }: SmtpScenario, subject: string) => ratio(find('smtp', name), find('smtp', name, subject))
  const latencyRatio = (subject: string) => ratio(find('latency', 'p50', subject), find('latency', 'p50', SYNCED_WRITE))
  const woken = find('waiters', WOKEN)
  // Users run the built program; a clone may have only the source.
  const start = find('memory', COLD_START, BUILT) ?? find('memory', COLD_START)
  const idle = find('memory', IDLE_MEMORY, BUILT) ?? find('memory', IDLE_MEMORY)

  return [
    judge('latest ≥ 0.6 × bare node:http', latestRatio(), { atLeast: 0.6 }, TIMES),
    judge('SMTP 2 kB, 50 reused ≥ 2 × MailDev', smtpRatio(SMALL_50, MAILDEV), { atLeast: 2 }, TIMES),
    judge('SMTP 2 kB, 50 reused ≥ 0.4 × bare bucket', smtpRatio(SMALL_50, BARE_BUCKET), { atLeast: 0.4 }, TIMES),
    judge('SMTP 50 kB, 50 reused ≥ 2 × MailDev', smtpRatio(LARGE_50, MAILDEV), { atLeast: 2 }, TIMES),
    judge('SMTP a connection a mail × 10 ≥ 10 × MailDev', smtpRatio(SMALL_ONCE, MAILDEV), { atLeast: 10 }, TIMES),
    judge('250 → readable, p50 ≤ 4 × one synced write', latencyRatio(MAILHATCH), { atMost: 4 }, TIMES),
    judge('250 → readable, p50 ≤ 5 ms', middle(find('latency', 'p50')), { atMost: 5 }, 'ms'),
    judge('every held wait is woken', middle(woken), { atLeast: Number(woken?.unit.slice('of '.length)) }, woken?.unit),
    judge('memory while holding the waits ≤ 500 MB', middle(find('waiters', HOLDING)), { atMost: 500 }, 'MB'),
    judge('memory when idle ≤ 120 MB', middle(idle), { atMost: 120 }, 'MB'),
    judge('cold start ≤ 1 s', middle(start), { atMost: 1_000 }, 'ms'),
    judge('p95 while expired messages are removed ≤ 3 × idle', purgeRatio(), { atMost: 3 }, TIMES),
  ]

  function purgeRatio(): number | null {
    return ratio(find('purge', PURGE_SCENARIO, PURGING), find('purge', PURGE_SCENARIO, IDLE))
  }

  function latestRatio(): number | null {
    return ratio(find('latest', LATEST_SCENARIO), find('latest', LATEST_SCENARIO, BARE_HTTP))
  }
}

function middle(series: Series | undefined): number | null {
  return series ? median(series.values) : null
}

function judge(goal: string, figure: number | null, bound: Bound, unit = ''): Goal {
  if (figure === null) return { goal, figure, unit, isMet: null }
  return { goal, figure, unit, isMet: 'atLeast' in bound ? figure >= bound.atLeast : figure <= bound.atMost }
}
