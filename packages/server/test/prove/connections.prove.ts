import { test } from 'vitest'
import { percentile } from '../../../../bench/statistics.ts'
import type { KindName } from '../load/attack-kinds.ts'
import { holdConnections, type ConnectionsReport } from '../load/connections.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const COUNTS = { slow: 500, idleSmtp: 1_400, idleHttp: 2_000, unread: 300 }
const NAMES: Record<KindName, string> = {
  slow: 'slow connections',
  idleSmtp: 'idle SMTP connections',
  idleHttp: 'idle HTTP connections',
  unread: 'unread downloads',
}
/** Longer than every time limit that closes a connection but the 5 minutes of an idle SMTP client. */
const SECONDS = 70
const CONTROL_SECONDS = 15
const SAMPLES = 2_000
const P99_MS_MAX = 1_000
const GROWTH_MEGABYTES_MAX = 50
/**
 * The share of each kind that has to be open on average. A connection that the server closes is opened again after half a
 * second on average, and when it is its turn.
 */
const HELD_SHARES_MIN: Record<KindName, number> = {
  // Closed after 10 s at the earliest: HTTP headers that are not complete.
  slow: 0.95,
  // Closed after 5 minutes, which is longer than the attack. Above 1,600 with the slow ones and the clients, a few are closed sooner.
  idleSmtp: 0.99,
  // Half of them are closed after 10 s at the earliest, because they send nothing, and the others after 65 s.
  idleHttp: 0.95,
  // Closed after 30 s, or sooner if too much waits to be read; attachments are opened again when they can be decoded.
  unread: 0.7,
}

const SLOWEST = 'slowest kind of operation, p99'
const FAILED = 'operations that failed'
const GROWTH = 'resident memory afterwards, above that before'

const kinds = Object.entries(NAMES) as [KindName, string][]
const p99s = ({ times }: ConnectionsReport) => [...times].map(([kind, all]) => ({ kind, ms: percentile(all, 99) }))
const slowest = (report: ConnectionsReport) => Math.max(...p99s(report).map(({ ms }) => ms))
const growth = ({ megabytesBefore, megabytesAfter }: ConnectionsReport) => megabytesAfter - megabytesBefore

async function run(options: { seconds: number; samples: number; preloads?: string[] }): Promise<ConnectionsReport> {
  const report = await holdConnections({ counts: COUNTS, seed: SEED, progress, ...options })
  for (const { kind, ms } of p99s(report)) progress(`${kind}: p99 ${Math.round(ms)} ms`)
  for (const failure of report.failures.slice(0, 5)) progress(failure)
  return report
}

test('slow, idle and unread connections', async () => {
  const report = await run({ seconds: SECONDS, samples: SAMPLES })
  progress('control: downloads keep their slot or fail, connections leave memory behind')
  const control = await run({ seconds: CONTROL_SECONDS, samples: 1, preloads: ['load/held-slots.ts'] })
  prove({
    claim: `While thousands of connections are slow, idle or unread, other clients are served within ${P99_MS_MAX / 1_000} s, and the memory of the program returns afterwards.`,
    tried:
      `${COUNTS.slow} connections that send one byte per second (HTTP headers and bodies, SMTP commands and mail), ${COUNTS.idleSmtp} idle SMTP and ${COUNTS.idleHttp} idle HTTP connections, ` +
      `and ${COUNTS.unread} downloads of 16 MiB and more of which nothing is read but the start, all at once for ${SECONDS} s; each is opened again when the server closes it. ` +
      'Meanwhile four clients send mail and wait for it, list, and read messages, attachments and raw mail, through the SDK. ' +
      'The memory before is that after as many connections and downloads at once by clients that behave, and after the work of the four clients for as long, because the program keeps some of the memory that these need too; before and after, it is the lowest of half a minute of one client, half a minute later.',
    figures: [
      ...kinds.map(([kind, name]) =>
        atLeast(
          Math.round(COUNTS[kind] * HELD_SHARES_MIN[kind]),
          `${name} open, on average`,
          Math.round(report.held[kind]),
        ),
      ),
      ...kinds.map(([kind, name]) => counted(`${name} closed by the server and opened again`, report.closed[kind])),
      atLeast(SAMPLES, 'operations of the four clients', [...report.times.values()].flat().length),
      atMost(P99_MS_MAX, SLOWEST, slowest(report), 'ms'),
      counted('longest operation', Math.max(...[...report.times.values()].flat()), 'ms'),
      atMost(0, FAILED, report.failures.length),
      counted('resident memory before', report.megabytesBefore, 'MB'),
      counted('most resident memory during the attack', report.megabytesMost, 'MB'),
      atMost(GROWTH_MEGABYTES_MAX, GROWTH, growth(report), 'MB'),
    ],
    control: {
      tried: `The same for ${CONTROL_SECONDS} s with a server changed so that small mail waits for a decoding slot too, a download keeps its slot until its client has read it, one download of raw mail in 50 fails, and each HTTP connection leaves 50 kB behind.`,
      figures: [
        atLeast(P99_MS_MAX + 1, SLOWEST, slowest(control), 'ms'),
        atLeast(1, FAILED, control.failures.length),
        atLeast(GROWTH_MEGABYTES_MAX + 1, GROWTH, growth(control), 'MB'),
      ],
    },
  })
})
