import { test } from 'vitest'
import { percentile } from '../../../../bench/statistics.ts'
import type { KindName } from '../load/attack-kinds.ts'
import { holdConnections, type ConnectionsOptions, type ConnectionsReport } from '../load/connections.ts'
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
/** Far more than the connections need without the fault, because the memory of the control is not given time to settle. */
const CONTROL_GROWTH_MEGABYTES_MIN = 150
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

const SLOWEST = 'p99 of the slowest kind of operation of the four clients'
const FAILED = 'operations of the four clients that failed'
const GROWTH = 'growth of resident memory from before the attack to after it'

const kinds = Object.entries(NAMES) as [KindName, string][]
const p99s = ({ times }: ConnectionsReport) => [...times].map(([kind, all]) => ({ kind, ms: percentile(all, 99) }))
const slowest = (report: ConnectionsReport) => Math.max(...p99s(report).map(({ ms }) => ms))
const growth = ({ megabytesBefore, megabytesAfter }: ConnectionsReport) => megabytesAfter - megabytesBefore

async function run(options: Omit<ConnectionsOptions, 'counts' | 'seed'>): Promise<ConnectionsReport> {
  const report = await holdConnections({ counts: COUNTS, seed: SEED, progress, ...options })
  for (const { kind, ms } of p99s(report)) progress(`${kind}: p99 ${Math.round(ms)} ms`)
  for (const failure of report.failures.slice(0, 5)) progress(failure)
  return report
}

test('slow, idle and unread connections', async () => {
  const report = await run({ seconds: SECONDS, samples: SAMPLES })
  progress('control: downloads keep their slot or fail, connections leave memory behind')
  const control = await run({
    seconds: CONTROL_SECONDS,
    samples: 1,
    isMemoryRough: true,
    preloads: ['load/held-slots.ts'],
  })
  prove({
    claim: `While thousands of connections are slow, idle or unread, 99 % of the operations of other clients take at most ${P99_MS_MAX / 1_000} s, and the memory of the program returns afterwards.`,
    tried:
      `All at once for ${SECONDS} s: ${COUNTS.slow} connections that send one byte per second (HTTP headers and bodies, SMTP commands and mail); ${COUNTS.idleSmtp} idle SMTP connections; ${COUNTS.idleHttp} idle HTTP connections; ` +
      `and ${COUNTS.unread} downloads of 16 MiB and more, of which only the start is read. Each is opened again when the server closes it. ` +
      'Meanwhile four clients use the SDK: they send mail and wait for it, list messages, and read messages, attachments and raw mail. ' +
      'The program keeps some of the memory that many connections need at once, good or bad. So the memory before the attack is measured after as many connections and downloads by clients that behave, and after the four clients have worked for as long as during the attack. ' +
      'Before and after the attack, one client works for a minute, in which the program can return memory. The lowest memory of the second half of that minute counts.',
    figures: [
      ...kinds.map(([kind, name]) =>
        atLeast(
          Math.round(COUNTS[kind] * HELD_SHARES_MIN[kind]),
          `${name} open, on average`,
          Math.round(report.held[kind]),
        ),
      ),
      ...kinds.map(([kind, name]) => counted(`most ${name} open at once`, report.most[kind])),
      ...kinds.map(([kind, name]) => counted(`${name} closed by the server and opened again`, report.closed[kind])),
      atLeast(SAMPLES, 'operations of the four clients', [...report.times.values()].flat().length),
      atMost(P99_MS_MAX, SLOWEST, slowest(report), 'ms'),
      counted('longest operation of the four clients', Math.max(...[...report.times.values()].flat()), 'ms'),
      atMost(0, FAILED, report.failures.length),
      counted('resident memory before the attack', report.megabytesBefore, 'MB'),
      counted('most resident memory during the attack', report.megabytesMost, 'MB'),
      atMost(GROWTH_MEGABYTES_MAX, GROWTH, growth(report), 'MB'),
    ],
    control: {
      tried: `The same for ${CONTROL_SECONDS} s with a server changed so that small mail waits for a decoding slot too, a download keeps its slot until its client has read it, one download of raw mail in 5 fails, and each HTTP connection leaves 50 kB behind. Its memory is measured at once.`,
      figures: [
        atLeast(P99_MS_MAX + 1, SLOWEST, slowest(control), 'ms'),
        atLeast(1, FAILED, control.failures.length),
        atLeast(CONTROL_GROWTH_MEGABYTES_MIN, GROWTH, growth(control), 'MB'),
      ],
    },
  })
})
