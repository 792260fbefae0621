import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { MAILS_PER_SECOND, soak, STREAMS, WAITS, type SoakReport } from '../load/soak.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { atLeast, atMost, counted, progress, prove, type Figure } from './proof.ts'

/** PROVE_SOAK_MINUTES shortens a trial. The published figures are those of the default. */
const MINUTES = Number(process.env['PROVE_SOAK_MINUTES'] ?? 30)
const CONTROL_MINUTES = Math.min(MINUTES, 2)
/** The dropped mails never become readable. */
const CONTROL_PATIENCE_MS = 5_000
/** 33 bytes per mail at 300 mails per second: less than an id takes, so nothing is kept for each mail. */
const MEGABYTES_PER_HOUR_MAX = 36
const READABLE_MS_MAX = 100
/** The sender waits for a moment when the machine is busy. */
const RATE_SHARE_MIN = 0.99

const preload = (name: string) => fileURLToPath(new URL(`../load/${name}.ts`, import.meta.url))
const postgres = ownPostgres({ autovacuum: 'on' })

/** Shared by the measured runs, because it is the same check. */
let control: Awaited<ReturnType<typeof runControl>> | null = null

async function runControl() {
  progress('control: a server that keeps 20 kB of each mail, and drops one mail in 100')
  const preloads = [preload('leaking-intake'), preload('dropping-intake')]
  const { memory, counters } = await soak({
    minutes: CONTROL_MINUTES,
    preloads,
    patienceMs: CONTROL_PATIENCE_MS,
    progress,
  })
  return {
    tried: `A server changed at start, so that it keeps 20 kB of each mail, and drops one accepted mail in 100, for ${CONTROL_MINUTES} min.`,
    figures: [
      atLeast(MEGABYTES_PER_HOUR_MAX, 'growth of memory, lower bound', memory.lowestPerHour, 'MB/h'),
      atLeast(1, 'accepted mails missing in the counters', imbalance(counters)),
    ],
  }
}

function imbalance({ accepted, stored, setAside, waiting }: SoakReport['counters']): number {
  return accepted - stored - setAside - waiting
}

function figuresOf({ load, memory, megabytes, counters, messages }: SoakReport): Figure[] {
  return [
    counted('mails accepted', load.accepted),
    atLeast(MAILS_PER_SECOND * RATE_SHARE_MIN, 'mails per second', load.accepted / load.seconds),
    atMost(READABLE_MS_MAX, 'first byte of a mail → response of its wait, p99', load.p99Ms, 'ms'),
    counted('the same, p50', load.p50Ms, 'ms'),
    counted('the same, longest', load.maxMs, 'ms'),
    counted('resident memory at the end', megabytes, 'MB'),
    counted('growth of memory in the second half', memory.perHour, 'MB/h'),
    atMost(MEGABYTES_PER_HOUR_MAX, 'the same, lower bound of the 95 % interval', memory.lowestPerHour, 'MB/h'),
    counted('the same, upper bound', memory.highestPerHour, 'MB/h'),
    atMost(0, 'accepted − stored − set aside − waiting', Math.abs(imbalance(counters))),
    atMost(
      0,
      'mails accepted by the client’s count, but not in the counter',
      Math.abs(load.accepted - counters.accepted),
    ),
    atMost(0, 'mails accepted, but not in the list', Math.abs(load.accepted - messages)),
    counted('waits answered', load.waitsAnswered),
    atMost(0, 'waits that failed', load.waitsFailed),
    atMost(0, 'mails missing in a stream', load.missingInStreams),
    atMost(0, 'mails twice or out of order in a stream', load.doubledInStreams + load.disorderedInStreams),
    atMost(0, 'streams that failed', load.streamsFailed),
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
  console.info(name, report.memory, report.counters, { ...report.load, acceptedSubjects: undefined })
  prove({
    claim: `After ${MINUTES} minutes of load on ${name}, memory does not grow, mail is readable as soon, and the counters balance.`,
    tried:
      `${MAILS_PER_SECOND} mails of 2 kB per second over SMTP to ${STREAMS} mailboxes, with ${WAITS} waits at a time, each for the tag of one mail, ` +
      `and ${STREAMS} streams, each for one mailbox, through the SDK. The memory of the second half is compared with a line.`,
    figures: figuresOf(report),
    control,
  })
})
