import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { startChild } from '../support/child-server.ts'
import { FUZZ_SETTINGS, makeIds, prepareFuzz } from '../support/fuzz-material.ts'
import { nameOf } from '../support/fuzz-request.ts'
import { FUZZ_PROCEDURES, FUZZ_ROUTES } from '../support/fuzz-routes.ts'
import { runRequests, type FuzzRun } from '../support/fuzz-run.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const REQUESTS = 20_000
const CONTROL_REQUESTS = 600
/** Of 72. Others need an invitation, another member, mail for other domains, or a payment provider. */
const PROCEDURES_MIN = 50
const WITH_FAULTS = ['--import', fileURLToPath(new URL('../hostile/with-faulty-answers.ts', import.meta.url))]

async function run(count: number, nodeArguments: string[] = []) {
  const dataDir = temporaryFolder()
  // The faults are made after the start, so that there is something to ask for.
  const environment = { DATA_DIR: dataDir, ...FUZZ_SETTINGS }
  const preparing = await startChild({ environment })
  const material = await prepareFuzz(preparing, dataDir)
  await preparing.stop()
  const server = await startChild({ environment, nodeArguments })
  const sessions = material.sessions.map(({ cookie }) => ({ cookie, origin: server.apiUrl }))
  const found = await runRequests({
    port: Number(new URL(server.apiUrl).port),
    material: { ...material, sessions },
    ...(nodeArguments.length === 0 && { renewIds: () => makeIds(server, sessions[0]!) }),
    seed: SEED,
    count,
    onProgress: (done) => progress(`${done} of ${count} requests`),
  })
  if (nodeArguments.length === 0 && server.complaints() !== '') progress(server.complaints().slice(0, 3_000))
  const isRunning = server.process.exitCode === null && server.process.signalCode === null
  return { ...found, failures: isRunning && server.complaints() === '' ? 0 : 1 }
}

const succeeded = ({ successes }: FuzzRun, names: string[]) => names.filter((name) => successes.has(name)).length

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
      atLeast(REQUESTS, 'requests', found.requests),
      atLeast(
        REQUESTS / 10,
        'answers with a success',
        answered(found, (status) => status < 400),
      ),
      atLeast(FUZZ_ROUTES.length, 'routes with a success', succeeded(found, FUZZ_ROUTES.map(nameOf))),
      atLeast(
        PROCEDURES_MIN,
        'procedures with a success',
        succeeded(
          found,
          FUZZ_PROCEDURES.map(({ path }) => path),
        ),
      ),
      counted(
        'answers with 503',
        answered(found, (status) => status === 503),
      ),
      atMost(0, 'answers with another 5xx', answered(found, isServerFault)),
      atMost(0, 'kinds of missing answers, or of answers outside the schema', found.faults.size),
      atMost(0, 'servers that ended or logged an error', found.failures),
    ],
    control: {
      tried: `${CONTROL_REQUESTS} of the requests to a program whose messages have a field that is not documented, and whose mailboxes fail.`,
      figures: [
        atLeast(1, 'answers with another 5xx', answered(faulty, isServerFault)),
        atLeast(1, 'kinds of missing answers, or of answers outside the schema', kindsOf(faulty, /outside the schema/)),
        atLeast(1, 'servers that ended or logged an error', faulty.failures),
      ],
    },
  })
})
