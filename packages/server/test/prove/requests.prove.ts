import { test } from 'vitest'
import { startChild } from '../support/child-server.ts'
import { FUZZ_SETTINGS, makeIds, prepareFuzz } from '../support/fuzz-material.ts'
import { CORRECT_ONE_IN, nameOf } from '../support/fuzz-request.ts'
import { FUZZ_OTHER_ROUTES, FUZZ_PROCEDURES, FUZZ_ROUTES } from '../support/fuzz-routes.ts'
import { runRequests, type FuzzRun } from '../support/fuzz-run.ts'
import { preload } from '../support/preload.ts'
import { procedureTypes, type ResultCheck } from '../support/procedure-types.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const REQUESTS = 20_000
/** Enough that each of the faults is met: a procedure gets few of them. */
const CONTROL_REQUESTS = 1_500
/** The others need an invitation, another member, mail for other domains, or a payment provider. */
const PROCEDURES_MIN = 50
/** Pages and downloads. The others need a token, a password, a mail without a team, or a provider. */
const OTHERS_MIN = 3
/** Most find a message, or have other parameters that are refused. Some of the correct ones are held, too. */
const HELD_MIN = 40
/** Two in a hundred have one, and a few of these also have no end. */
const MALFORMED_SHARE_MIN = 0.015
/** In the control, some requests get no response. */
const CONTROL_ANSWER_MS_MAX = 2_000
const WITH_FAULTS = preload('hostile/with-faulty-answers.ts')

const MISSING = 'kinds of missing responses'
const MALFORMED = 'requests with a malformed header that got no response'
const OUTSIDE = 'kinds of responses outside the schema'
const MISTYPED = 'kinds of results of procedures outside their types'

type RunOptions = { count: number; checkResult: ResultCheck; nodeArguments?: string[]; answerMsMax?: number }

async function run({ count, nodeArguments = [], ...checks }: RunOptions) {
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
    ...checks,
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
const kindsOf = (faults: Map<string, string>, pattern: RegExp) =>
  [...faults.keys()].filter((fault) => pattern.test(fault)).length

test('hostile requests', async () => {
  // Subscriptions are streams, which have their own tests.
  const calls = FUZZ_PROCEDURES.filter(({ type }) => type !== 'subscription').map(({ path }) => path)
  const checkResult = procedureTypes(calls)
  const found = await run({ count: REQUESTS, checkResult })
  for (const faults of [found.missing, found.faults, found.mistyped])
    for (const [fault, example] of [...faults].slice(0, 10)) progress(`${fault}: ${example}`)
  const operations = FUZZ_ROUTES.map(nameOf)
  for (const name of operations) if (!found.successes.has(name)) progress(`no success of ${name}`)
  const faulty = await run({
    count: CONTROL_REQUESTS,
    checkResult,
    nodeArguments: WITH_FAULTS,
    answerMsMax: CONTROL_ANSWER_MS_MAX,
  })
  prove({
    claim: 'Every request gets a documented response.',
    tried:
      'Requests for every operation of the REST API, every procedure of the dashboard and every other route of the API, with valid, odd and missing parameters, bodies and ' +
      'credentials, and with broken HTTP: methods, targets, framing, both lengths, long headers, cut bodies, pipelining. ' +
      `One request in ${CORRECT_ONE_IN} is correct, for each operation in turn. ` +
      'Responses of the REST API to correct HTTP are compared with the OpenAPI document, others with the format of failures. Results of procedures are compared ' +
      'with the types that the dashboard is compiled with: a field more or less is a fault. A request that asks to wait has to ' +
      'get its response when its time is over. Only a request whose end is missing may get none. Not requested: the worker’s own port, and the APIs of other mail catchers.',
    figures: [
      atLeast(REQUESTS, 'requests', found.requests),
      atLeast(
        REQUESTS / 10,
        'responses with a success',
        answered(found, (status) => status < 400),
      ),
      atLeast(REQUESTS / 10, 'responses compared with the OpenAPI document', found.compared),
      atLeast(operations.length, 'operations of the REST API with a success', succeeded(found, operations)),
      atLeast(
        OTHERS_MIN,
        `other routes of ${FUZZ_OTHER_ROUTES.length} with a success`,
        succeeded(found, FUZZ_OTHER_ROUTES.map(nameOf)),
      ),
      atLeast(
        PROCEDURES_MIN,
        `procedures of ${FUZZ_PROCEDURES.length} with a success`,
        succeeded(
          found,
          FUZZ_PROCEDURES.map(({ path }) => path),
        ),
      ),
      atLeast(PROCEDURES_MIN, 'procedures with a result that was compared with its type', found.typed.size),
      atLeast(HELD_MIN, 'requests with a wait that got no response at once', found.held),
      counted(
        'responses with 503',
        answered(found, (status) => status === 503),
      ),
      atMost(0, 'responses with another 5xx', answered(found, isServerFault)),
      atMost(0, MISSING, found.missing.size),
      atLeast(REQUESTS * MALFORMED_SHARE_MIN, 'requests with a malformed header', found.malformed.sent),
      atMost(0, MALFORMED, found.malformed.unanswered),
      atMost(0, OUTSIDE, found.faults.size),
      atMost(0, MISTYPED, found.mistyped.size),
      atMost(0, 'servers that ended or logged an error', found.failures),
    ],
    control: {
      tried:
        `${CONTROL_REQUESTS} of the requests to a program whose messages have a field that is not documented, whose mailboxes ` +
        'fail, whose users and teams have a field that their types do not have, whose waits never end, and which does not respond to malformed headers.',
      figures: [
        atLeast(1, 'responses with another 5xx', answered(faulty, isServerFault)),
        atLeast(1, MISSING, kindsOf(faulty.missing, /no answer in time/)),
        atLeast(1, MALFORMED, faulty.malformed.unanswered),
        atLeast(1, OUTSIDE, kindsOf(faulty.faults, /outside the schema/)),
        atLeast(1, MISTYPED, faulty.mistyped.size),
        atLeast(1, 'servers that ended or logged an error', faulty.failures),
      ],
    },
  })
})
