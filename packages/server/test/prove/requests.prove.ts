import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { startChild } from '../support/child-server.ts'
import { prepareFuzz } from '../support/fuzz-material.ts'
import { runRequests, type FuzzRun } from '../support/fuzz-run.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const REQUESTS = 20_000
const CONTROL_REQUESTS = 600
const WITH_FAULTS = ['--import', fileURLToPath(new URL('../hostile/with-faulty-answers.ts', import.meta.url))]

async function run(count: number, nodeArguments: string[] = []) {
  const dataDir = temporaryFolder()
  // The faults are made after the start, so that there is something to ask for.
  const preparing = await startChild({ environment: { DATA_DIR: dataDir } })
  const material = await prepareFuzz(preparing.apiUrl, dataDir)
  await preparing.stop()
  const server = await startChild({ environment: { DATA_DIR: dataDir }, nodeArguments })
  const found = await runRequests({
    port: Number(new URL(server.apiUrl).port),
    material: { ...material, session: { ...material.session, origin: server.apiUrl } },
    seed: SEED,
    count,
    onProgress: (done) => progress(`${done} of ${count} requests`),
  })
  if (nodeArguments.length === 0 && server.complaints() !== '') progress(server.complaints().slice(0, 3_000))
  const isRunning = server.process.exitCode === null && server.process.signalCode === null
  return { ...found, exits: isRunning ? 0 : 1, errors: server.complaints() === '' ? 0 : 1 }
}

const answered = ({ statuses }: FuzzRun, isCounted: (status: number) => boolean): number =>
  [...statuses].reduce((sum, [status, count]) => sum + (isCounted(status) ? count : 0), 0)
const isServerFault = (status: number) => status >= 500 && status !== 503
const kindsOf = ({ faults }: FuzzRun, pattern: RegExp) =>
  [...faults.keys()].filter((fault) => pattern.test(fault)).length

test('hostile requests', async () => {
  const found = await run(REQUESTS)
  for (const [fault, example] of [...found.faults].slice(0, 10)) progress(`${fault}: ${example}`)
  const faulty = await run(CONTROL_REQUESTS, WITH_FAULTS)
  prove({
    claim: 'Every request gets a documented answer.',
    tried:
      'Requests for every route and every procedure of the dashboard, with valid, odd and missing parameters, bodies and ' +
      'credentials, and with broken HTTP: methods, targets, framing, both lengths, long headers, cut bodies, pipelining. ' +
      'Each answer is compared with the OpenAPI document, or with the format of failures.',
    figures: [
      counted('requests', found.requests),
      counted(
        'answers with a success',
        answered(found, (status) => status < 400),
      ),
      counted(
        'answers with 503',
        answered(found, (status) => status === 503),
      ),
      atMost(0, 'answers with another 5xx', answered(found, isServerFault)),
      atMost(0, 'kinds of answers outside the schema, or of missing answers', found.faults.size),
      atMost(0, 'exits', found.exits),
      atMost(0, 'runs with a logged error', found.errors),
    ],
    control: {
      tried: `${CONTROL_REQUESTS} of the requests to a program whose messages have a field that is not documented, and whose mailboxes fail.`,
      figures: [
        atLeast(1, 'answers with another 5xx', answered(faulty, isServerFault)),
        atLeast(1, 'kinds of answers outside the schema', kindsOf(faulty, /outside the schema/)),
      ],
    },
  })
})
