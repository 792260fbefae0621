import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { restartUnderLoad } from '../load/rolling-restarts.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { atLeast, atMost, counted, progress, prove } from './proof.ts'

const ROUNDS = 30
const SIZES = { replicas: 3, mailsPerSecond: 60, waits: 500, streams: 200 }
/** What is lost in the control never arrives. */
const CONTROL = { rounds: 1, patienceMs: 5_000 }

const postgres = ownPostgres()
const preload = (name: string) => fileURLToPath(new URL(`../load/${name}.ts`, import.meta.url))

test('rolling restarts under load', async () => {
  const { load, ...found } = await restartUnderLoad({
    ...SIZES,
    databaseUrl: await postgres.database(),
    rounds: ROUNDS,
    progress,
  })
  console.info(found, { ...load, acceptedSubjects: undefined })
  progress('control: an SDK that does not continue, and a worker that drops mail')
  const control = await restartUnderLoad({
    ...SIZES,
    ...CONTROL,
    databaseUrl: await postgres.database(),
    workerPreloads: [preload('dropping-intake')],
    sdkPreloads: [preload('forgetful-sdk')],
  })
  console.info('control', { ...control, load: { ...control.load, acceptedSubjects: undefined } })
  prove({
    claim: 'Rolling restarts lose no mail, fail no wait, and leave no gap in a stream.',
    tried:
      `Three API replicas on PostgreSQL and a worker with a folder bucket, behind a TCP load balancer that repeats nothing, are restarted one after another with SIGTERM, ${ROUNDS} times each. ` +
      `Meanwhile ${SIZES.mailsPerSecond} mails per second arrive over SMTP; ${SIZES.waits} waits, each for the tag of one mail, and ${SIZES.streams} streams, each for one mailbox, are open through the SDK with its default settings. ` +
      'A sender whose connection is lost sends the mail again, as mail servers do.',
    figures: [
      counted('restarts', found.restarts),
      atMost(0, 'processes that did not stop cleanly', found.uncleanStops),
      counted('mails accepted', load.accepted),
      atMost(0, 'accepted mails lost', found.lost),
      atMost(0, 'mails stored twice', found.doubled),
      atMost(0, 'mails refused for good', load.refused.length),
      counted('waits answered', load.waitsAnswered),
      atMost(0, 'waits that failed', load.waitsFailed),
      counted('first byte of a mail → response of its wait, p99', load.p99Ms, 'ms'),
      counted('messages in streams', load.streamed),
      atMost(0, 'messages missing in a stream', load.missingInStreams),
      atMost(0, 'messages twice in a stream', load.doubledInStreams),
      atMost(0, 'messages out of order in a stream', load.disorderedInStreams),
      atMost(0, 'streams that ended with an error', load.streamsFailed),
    ],
    control: {
      tried:
        'The same with one rolling restart, an SDK changed so that a wait ends at the first error and a stream does not resume at its last message, and a worker changed so that it drops one accepted mail in 100.',
      figures: [
        atLeast(1, 'accepted mails lost', control.lost),
        atLeast(1, 'waits that failed', control.load.waitsFailed),
        atLeast(1, 'messages missing in a stream', control.load.missingInStreams),
        atLeast(1, 'messages twice in a stream', control.load.doubledInStreams),
      ],
    },
  })
})
