import { test } from 'vitest'
import { restartUnderLoad, WAIT_MS, type RestartOptions, type RestartReport } from '../load/rolling-restarts.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { atLeast, atMost, counted, progress, prove } from './proof.ts'

const ROUNDS = 30
const SIZES = { replicas: 3, mailsPerSecond: 60, waits: 500, streams: 200 }
const RESTARTS = ROUNDS * (SIZES.replicas + 1)
/** A restart takes at least half a second, and mail arrives meanwhile. */
const MAILS_MIN = (RESTARTS * SIZES.mailsPerSecond) / 2
/** What is lost in the control never arrives. */
const CONTROL = { rounds: 1, patienceMs: 5_000 }

const UNCLEAN = 'processes that did not stop cleanly'
const LOST = 'accepted messages lost'
const DOUBLED = 'messages stored twice'
const REFUSED = 'messages refused for good'
const WAITS_FAILED = 'waits that failed'
const MISSING = 'messages missing in a stream'
const REPEATED = 'messages twice in a stream'
const DISORDERED = 'messages out of order in a stream'
const STREAMS_FAILED = 'streams that ended with an error'
const REQUESTS_FAILED = 'of these, requests that failed in spite of the SDK’s retries'

const postgres = ownPostgres()

async function run(options: Pick<RestartOptions, 'rounds' | 'patienceMs' | 'preloads'>): Promise<RestartReport> {
  const report = await restartUnderLoad({ ...SIZES, ...options, databaseUrl: await postgres.database(), progress })
  for (const problem of [...report.load.shown, ...report.failedRequests.slice(0, 5)]) progress(problem)
  return report
}

test('rolling restarts under load', async () => {
  const { load, ...found } = await run({ rounds: ROUNDS })
  progress('control: programs that lose, double and refuse mail')
  const careless = await run({
    ...CONTROL,
    preloads: {
      worker: ['load/dropping-intake.ts', 'load/refusing-worker.ts'],
      replica: ['crash/careless-storing.ts', 'load/failing-requests.ts'],
    },
  })
  progress('control: an SDK that does not continue')
  const forgetful = await run({ ...CONTROL, preloads: { sdk: ['load/forgetful-sdk.ts'] } })
  prove({
    claim: 'Rolling restarts lose no mail, fail no wait, and leave no gap in a stream.',
    tried:
      `Three API replicas on PostgreSQL and a worker with a folder bucket, behind a TCP load balancer that repeats nothing, are restarted one after another with SIGTERM, ${ROUNDS} times each. ` +
      `Meanwhile ${SIZES.mailsPerSecond} messages per second arrive over SMTP; ${SIZES.waits} waits, each for the tag of one mail, and ${SIZES.streams} streams, each for one mailbox, are open through the SDK, through which a client also asks for the number of messages all the time. ` +
      `The SDK has its default settings, but a wait has ${WAIT_MS / 1_000} s instead of 30: it is opened seconds before its mail is sent, and restarts are slow on a busy machine. ` +
      'A sender whose connection is lost before the reply sends the mail again with another subject, as mail servers do; both may then be stored, and this does not count as stored twice.',
    figures: [
      atLeast(RESTARTS, 'restarts', found.restarts),
      atMost(0, UNCLEAN, found.uncleanStops),
      atLeast(MAILS_MIN, 'messages accepted', load.accepted),
      counted('messages sent again, after a lost connection or a temporary refusal', load.retries),
      atMost(0, LOST, found.lost),
      atMost(0, DOUBLED, found.doubled),
      atMost(0, REFUSED, load.refused.length),
      atLeast(RESTARTS, 'requests of the SDK answered with 503, which it repeats', load.unavailable),
      atLeast(RESTARTS, 'requests for the number of messages', found.requests),
      atMost(0, REQUESTS_FAILED, found.failedRequests.length),
      atLeast(MAILS_MIN, 'waits answered', load.waitsAnswered),
      atMost(0, WAITS_FAILED, load.waitsFailed),
      counted('first byte of a mail → response of its wait, p99', load.p99Ms, 'ms'),
      counted('the same, longest', load.maxMs, 'ms'),
      atLeast(SIZES.streams, 'streams with messages', load.streamsUsed),
      atLeast(MAILS_MIN, 'messages in streams', load.streamed),
      atMost(0, MISSING, load.missingInStreams),
      atMost(0, REPEATED, load.doubledInStreams),
      atMost(0, DISORDERED, load.disorderedInStreams),
      atMost(0, STREAMS_FAILED, load.streamsFailed),
    ],
    control: {
      tried:
        'Two more runs with one rolling restart. In one, a worker drops one accepted mail in 97, refuses one in 97 and ends with a failure, and replicas store one mail in ten twice and fail one request in ten for the number of messages. ' +
        'In the other, the SDK is changed: a wait ends at the first error, and a stream fails, continues with new mail only, or starts again.',
      figures: [
        atLeast(1, UNCLEAN, careless.uncleanStops),
        atLeast(1, LOST, careless.lost),
        atLeast(1, DOUBLED, careless.doubled),
        atLeast(1, REFUSED, careless.load.refused.length),
        atLeast(1, REQUESTS_FAILED, careless.failedRequests.length),
        atLeast(1, WAITS_FAILED, forgetful.load.waitsFailed),
        atLeast(1, MISSING, forgetful.load.missingInStreams),
        atLeast(1, REPEATED, forgetful.load.doubledInStreams),
        atLeast(1, DISORDERED, forgetful.load.disorderedInStreams),
        atLeast(1, STREAMS_FAILED, forgetful.load.streamsFailed),
      ],
    },
  })
})
