import { test } from 'vitest'
import { AWAY_PERCENT_MIN } from '../load/stolen-time.ts'
import { MAILS_PER_SECOND, RISE_SECONDS, soak, STREAMS, WAITS, type SoakReport } from '../load/soak.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { atLeast, atMost, counted, progress, prove, type Figure } from './proof.ts'

/** PROVE_SOAK_MINUTES shortens a trial, which is not written to the page. */
const MINUTES = Number(process.env['PROVE_SOAK_MINUTES'] ?? 30)
/** Long enough that a leak just above the limit is more than the noise. */
const LEAK_MINUTES = Math.min(MINUTES, 10)
const CARELESS_MINUTES = Math.min(MINUTES, 1)
/** What the control drops never becomes readable. */
const CONTROL_PATIENCE_MS = 5_000
/** 100 bytes per mail at 300 mails per second. A message that is kept takes far more. */
const MEGABYTES_PER_HOUR_MAX = 108
const READABLE_MS_MAX = 100
/** The sender waits for a moment when the machine is busy. */
const RATE_SHARE_MIN = 0.99

const READABLE =
  'a message is due to be sent → response of its wait, p99 of those that were due while the host was there'
/** Fewer would be a selection. */
const UNDISTURBED_SHARE_MIN = 0.5
const GROWTH = 'growth of memory in the second half, upper bound of the 95 % interval'
const CERTAIN_GROWTH = 'the same, lower bound: above zero, the growth is more than noise'
const IMBALANCE = 'accepted − stored − set aside − waiting, in the counters'
const MISCOUNTED = 'messages accepted by the client’s count, but not in the counter'
const UNLISTED = 'messages accepted, but not in the list'
const WAITS_FAILED = 'waits that failed'
const MISSING = 'messages missing in a stream'
const REPEATED = 'messages twice or out of order in a stream'
const STREAMS_FAILED = 'streams that failed'

const postgres = ownPostgres({ autovacuum: 'on' })

/** Shared by the measured runs, because it is the same check. */
let control: Awaited<ReturnType<typeof runControl>> | null = null

async function runControl() {
  progress('control: a server that keeps 200 bytes of each mail')
  const leaking = await soak({ minutes: LEAK_MINUTES, preloads: ['load/leaking-intake.ts'], progress })
  progress('control: a server that drops, doubles, delays and miscounts mail, and streams that fail')
  const careless = await soak({
    minutes: CARELESS_MINUTES,
    preloads: ['load/dropping-intake.ts', 'load/late-intake.ts', 'crash/careless-storing.ts'],
    sdkPreloads: ['load/failing-streams.ts'],
    patienceMs: CONTROL_PATIENCE_MS,
    progress,
  })
  console.info('control', leaking.memory, careless.counters, careless.load.shown)
  const { load } = careless
  return {
    tried:
      `On SQLite: a server changed at start, so that it keeps about 200 bytes of each mail, for ${LEAK_MINUTES} min; and, for ${CARELESS_MINUTES} min, one that drops one accepted mail in 97, stores one in ` +
      '10 twice, makes one in 20 readable 300 ms later and leaves one in 10 out of its counter, with an SDK in which one stream in 10 fails.',
    figures: [
      atLeast(READABLE_MS_MAX + 1, READABLE, load.undisturbed.p99Ms, 'ms'),
      atLeast(MEGABYTES_PER_HOUR_MAX + 1, GROWTH, leaking.memory.highestPerHour, 'MB/h'),
      atLeast(1, CERTAIN_GROWTH, leaking.memory.lowestPerHour, 'MB/h'),
      atLeast(1, IMBALANCE, imbalance(careless.counters)),
      atLeast(1, MISCOUNTED, Math.abs(load.accepted - careless.counters.accepted)),
      atLeast(1, UNLISTED, Math.abs(load.accepted - careless.messages)),
      atLeast(1, WAITS_FAILED, load.waitsFailed),
      atLeast(1, MISSING, load.missingInStreams),
      atLeast(1, REPEATED, load.doubledInStreams + load.disorderedInStreams),
      atLeast(1, STREAMS_FAILED, load.streamsFailed),
    ],
  }
}

function imbalance({ accepted, stored, setAside, waiting }: SoakReport['counters']): number {
  return Math.abs(accepted - stored - setAside - waiting)
}

function figuresOf({ load, memory, megabytes, counters, messages, stolen }: SoakReport): Figure[] {
  return [
    counted('messages accepted', load.accepted),
    atLeast(MAILS_PER_SECOND * RATE_SHARE_MIN, 'messages per second', load.accepted / load.seconds),
    atMost(READABLE_MS_MAX, READABLE, load.undisturbed.p99Ms, 'ms'),
    atLeast(
      load.accepted * UNDISTURBED_SHARE_MIN,
      'messages that were due while the host was there',
      load.undisturbed.mails,
    ),
    counted('p50 of all messages', load.p50Ms, 'ms'),
    counted('p99 of all messages', load.p99Ms, 'ms'),
    counted('longest of all messages', load.maxMs, 'ms'),
    counted('processor time that the host took from this machine', stolen.percent, '%'),
    counted('the same, the most in a minute', stolen.mostPercent, '%'),
    counted('resident memory halfway', megabytes.halfway, 'MB'),
    counted('resident memory at the end', megabytes.atEnd, 'MB'),
    atMost(MEGABYTES_PER_HOUR_MAX, GROWTH, memory.highestPerHour, 'MB/h'),
    counted('the same, estimate', memory.perHour, 'MB/h'),
    atMost(0, CERTAIN_GROWTH, memory.lowestPerHour, 'MB/h'),
    atMost(0, IMBALANCE, imbalance(counters)),
    atMost(0, MISCOUNTED, Math.abs(load.accepted - counters.accepted)),
    atMost(0, UNLISTED, Math.abs(load.accepted - messages)),
    counted('waits answered', load.waitsAnswered),
    atMost(0, WAITS_FAILED, load.waitsFailed),
    atMost(0, MISSING, load.missingInStreams),
    atMost(0, REPEATED, load.doubledInStreams + load.disorderedInStreams),
    atMost(0, STREAMS_FAILED, load.streamsFailed),
  ]
}

test.each([
  ['SQLite', undefined],
  ['PostgreSQL', () => postgres.database()],
] as const)('a constant load on %s', async (name, database) => {
  control ??= await runControl()
  progress(`${name}: ${MINUTES} minutes`)
  const databaseUrl = await database?.()
  const report = await soak({ minutes: MINUTES, progress, ...(databaseUrl === undefined ? {} : { databaseUrl }) })
  console.info(name, report.memory, report.counters, report.stolen, { ...report.load, acceptedSubjects: undefined })
  prove({
    claim: `In ${MINUTES} minutes of load on ${name}, memory does not grow, 99 % of the messages are readable within ${READABLE_MS_MAX} ms, and the counters balance.`,
    tried:
      `${MAILS_PER_SECOND} messages of 2 kB per second over SMTP to ${STREAMS} mailboxes, with ${WAITS} waits at a time, each for the tag of one mail and nine in ten with a cursor, ` +
      `and ${STREAMS} streams, each for one mailbox, through the SDK. The rate rises over the first ${RISE_SECONDS} seconds. The host of a virtual machine is away in each second in which it takes ${AWAY_PERCENT_MIN} % or more of the processor time from it; messages that were due in these seconds, in the two after them or within 100 ms before them are only counted. The memory of the second half is divided into 15 parts, and the growth is the mean step from one to the next.`,
    figures: figuresOf(report),
    control,
  })
})
