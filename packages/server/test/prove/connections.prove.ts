import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { percentile } from '../../../../bench/statistics.ts'
import { holdConnections, type ConnectionsReport } from '../load/connections.ts'
import { atLeast, atMost, counted, progress, prove } from './proof.ts'

const COUNTS = { slow: 500, idleSmtp: 1_400, idleHttp: 2_000, unread: 300 }
/** Longer than every time limit that closes a connection but the 5 minutes of an idle SMTP client. */
const SECONDS = 70
const CONTROL_SECONDS = 15
const SAMPLES = 2_000
const P99_MS_MAX = 1_000
const GROWTH_MEGABYTES_MAX = 50
/** Of the connections, because those that the server closes are opened again within a second. */
const HELD_SHARE_MIN = 0.9

const p99 = ({ timesMs }: ConnectionsReport) => percentile(timesMs, 99)
const growth = ({ megabytesBefore, megabytesAfter }: ConnectionsReport) => megabytesAfter - megabytesBefore
const preload = fileURLToPath(new URL('../load/held-slots.ts', import.meta.url))

function describe({ timesByKind, failures, ...report }: ConnectionsReport): void {
  const kinds = Object.fromEntries(Array.from(timesByKind, ([kind, all]) => [kind, percentile(all, 99)]))
  console.info({ ...report, timesMs: report.timesMs.length, kinds, failures: failures.slice(0, 5) })
}

test('slow, idle and unread connections', async () => {
  const report = await holdConnections({ counts: COUNTS, seconds: SECONDS, samples: SAMPLES, progress })
  describe(report)
  progress('control: downloads keep their slot, connections leave memory behind')
  const control = await holdConnections({ counts: COUNTS, seconds: CONTROL_SECONDS, samples: 1, preloads: [preload] })
  describe(control)
  const total = Object.values(COUNTS).reduce((sum, count) => sum + count, 0)
  prove({
    claim: 'Slow, idle and unread connections do not slow others down, and leave no memory behind.',
    tried:
      `${COUNTS.slow} connections that send one byte per second (HTTP headers and bodies, SMTP commands and mail), ${COUNTS.idleSmtp} idle SMTP and ${COUNTS.idleHttp} idle HTTP connections, ` +
      `and ${COUNTS.unread} downloads of 16 MiB and more that are never read, all at once for ${SECONDS} s; each is opened again when the server closes it. ` +
      'Meanwhile four clients send mail, wait for it, list, and read messages, attachments and raw mail, through the SDK.',
    figures: [
      atLeast(total * HELD_SHARE_MIN, 'connections held at once, on average', report.held),
      counted('connections closed by the server', report.closedByServer),
      counted('operations of the four clients', report.timesMs.length),
      atMost(P99_MS_MAX, 'time of an operation, p99', p99(report), 'ms'),
      counted('the same, longest', Math.max(...report.timesMs), 'ms'),
      atMost(0, 'operations that failed', report.failures.length),
      counted('resident memory before', report.megabytesBefore, 'MB'),
      counted('most resident memory during the attack', report.megabytesMost, 'MB'),
      atMost(GROWTH_MEGABYTES_MAX, 'resident memory afterwards, above that before', growth(report), 'MB'),
    ],
    control: {
      tried: `The same for ${CONTROL_SECONDS} s with a server changed so that a download keeps its decoding slot until its client has read it, and that each connection leaves 50 kB behind.`,
      figures: [
        atLeast(P99_MS_MAX, 'time of an operation, p99', p99(control), 'ms'),
        atLeast(GROWTH_MEGABYTES_MAX, 'resident memory afterwards, above that before', growth(control), 'MB'),
      ],
    },
  })
})
