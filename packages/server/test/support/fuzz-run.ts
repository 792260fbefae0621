import { faultIn } from './answer-check.ts'
import { expectDocumented } from './documented.ts'
import { FuzzLine, type AnyOutcome } from './fuzz-line.ts'
import { fuzzRequest, type FuzzIds, type FuzzMaterial, type FuzzRequest } from './fuzz-request.ts'
import { MalformedAnswer, type HttpAnswer } from './http-answer.ts'
import { madeSecretsIn } from './made-secrets.ts'
import type { ResultCheck } from './procedure-types.ts'

export type FuzzRun = {
  requests: number
  /** Of these, held by the server, and judged when they ended. */
  held: number
  /** Requests with a malformed header that have an end, and those of them without an answer. */
  malformed: { sent: number; unanswered: number }
  /** Requests without an answer. One example of each kind, as below. */
  missing: Map<string, string>
  /** Answers that are not documented. */
  faults: Map<string, string>
  /** Results of procedures that do not have their type. */
  mistyped: Map<string, string>
  statuses: Map<number, number>
  /** Routes and procedures that answered a request with a success. */
  successes: Set<string>
  /** Answers that were compared with the API's document. */
  compared: number
  /** Procedures with a result that was compared with its type. */
  typed: Set<string>
}

type RunOptions = {
  port: number
  material: FuzzMaterial
  seed: number
  /** The number of the first request. */
  first?: number
  count: number
  /** Makes what requests have deleted. */
  renewIds?: () => Promise<FuzzIds>
  /** Compares results of procedures with their types. */
  checkResult?: ResultCheck
  /** A server that takes longer than this hangs, if the request does not ask to wait. */
  answerMsMax?: number
  onProgress?: (done: number) => void
}

const CONNECTIONS = 16
/** For a machine that is busy with other tests. */
const ANSWER_MS_MAX = 60_000
const UNREADABLE = ['The URL or the Host header is not valid.', 'The request is not valid HTTP.']
const PROGRESS_EVERY = 2_000
const RENEW_EVERY = 500

/** Sends the requests of a seed on several connections, and checks every answer. */
export async function runRequests(options: RunOptions): Promise<FuzzRun> {
  const {
    port,
    material,
    seed,
    first = 1,
    count,
    renewIds,
    checkResult,
    answerMsMax = ANSWER_MS_MAX,
    onProgress,
  } = options
  const run: FuzzRun = {
    requests: 0,
    compared: 0,
    held: 0,
    malformed: { sent: 0, unanswered: 0 },
    missing: new Map(),
    faults: new Map(),
    mistyped: new Map(),
    statuses: new Map(),
    successes: new Set(),
    typed: new Set(),
  }
  const held: Promise<void>[] = []
  let next = first
  const end = first + count

  function judge(request: FuzzRequest, number: number, outcome: AnyOutcome): void {
    const isMalformed = request.isMalformed && !request.isTruncated
    if (isMalformed) run.malformed.sent++
    const example = () => `seed ${seed}, request ${number}: ${shown(request, outcome)}`
    if (typeof outcome === 'string' || outcome instanceof Error) {
      // One that never ends may get no answer.
      if (!request.isTruncated) run.missing.set(lackOf(request, outcome), example())
      if (isMalformed) run.malformed.unanswered++
      return
    }
    madeSecretsIn(outcome.body.toString())
    const fault = faultOf(request, outcome, () => run.compared++)
    if (fault !== null) run.faults.set(fault, example())
    else if (checkResult && request.isPlain) {
      for (const { path, data } of resultsOf(request, outcome)) {
        run.typed.add(path)
        const problem = checkResult(path, data)
        if (problem !== null) run.mistyped.set(problem, example())
      }
    }
    run.statuses.set(outcome.status, (run.statuses.get(outcome.status) ?? 0) + 1)
    if (request.operation !== null && outcome.status < 400) run.successes.add(request.operation)
    material.rotatingKey = rotatedKey(request, outcome) ?? material.rotatingKey
  }

  async function fuzzOnOneConnection(stop: number): Promise<void> {
    const line = new FuzzLine(port, answerMsMax)
    while (next < stop) {
      const number = next++
      const request = fuzzRequest({ seed, number }, material)
      const outcomes = await line.send(request)
      run.requests++
      for (const outcome of outcomes) {
        if (typeof outcome === 'string' || !('later' in outcome)) judge(request, number, outcome)
        else held.push(outcome.later.then((later) => judge(request, number, later)))
      }
      if (number % PROGRESS_EVERY === 0) onProgress?.(number)
    }
    line.close()
  }
  while (next < end) {
    const stop = Math.min(end, next + RENEW_EVERY)
    await Promise.all(Array.from({ length: CONNECTIONS }, () => fuzzOnOneConnection(stop)))
    // Between requests, because they may move the team to another domain.
    if (renewIds && stop < end) material.ids = await renewIds()
  }
  await Promise.all(held)
  run.held = held.length
  return run
}

function lackOf({ method }: FuzzRequest, outcome: 'closed' | 'silent' | MalformedAnswer): string {
  if (outcome instanceof MalformedAnswer) return `no HTTP: ${outcome.message}`
  return `${method}: ${outcome === 'closed' ? 'closed without an answer' : 'no answer in time'}`
}

function faultOf(request: FuzzRequest, answer: HttpAnswer, onCompared: () => void): string | null {
  const { method, target } = request
  const isPreflight = method === 'OPTIONS' && answer.status === 204
  if (isPreflight && answer.body.length === 0) return null
  const fault = faultIn(answer, { isHead: method === 'HEAD', path: target })
  if (fault !== null) return `${answer.status}: ${fault}`
  return request.isPlain && method !== 'HEAD' ? undocumented(request, answer, onCompared) : null
}

/** What the API's document does not have of this answer. */
function undocumented(
  { method, target }: FuzzRequest,
  { status, headers, body, isEventStream }: HttpAnswer,
  onCompared: () => void,
) {
  const url = `http://localhost${target}`
  // Odd targets are no paths. Event streams are checked by their own tests.
  if (!target.startsWith('/') || !URL.canParse(url) || isEventStream) return null
  // Refused before it reached an operation.
  if (status === 400 && UNREADABLE.some((sentence) => body.includes(sentence))) return null
  try {
    const isJson = headers.get('content-type')?.startsWith('application/json')
    const isCompared = expectDocumented(method, url, {
      status,
      headers: new Headers(Object.fromEntries(headers)),
      body: isJson ? JSON.parse(body.toString()) : body.toString(),
    })
    if (isCompared) onCompared()
    return null
  } catch (error) {
    return `outside the schema: ${(error as Error).message.slice(0, 200)}`
  }
}

type Envelope = { result?: { data?: unknown } }

/** The results in an answer of procedures, one per call that succeeded. */
function resultsOf({ method, target }: FuzzRequest, { body, isEventStream }: HttpAnswer) {
  const names = /^\/trpc\/([^?]+)/.exec(target)?.[1]
  if (names === undefined || isEventStream || body.length === 0 || method === 'HEAD') return []
  // Its format was checked before.
  const answer = JSON.parse(body.toString()) as Envelope | Envelope[]
  const isBatch = Array.isArray(answer)
  const paths = isBatch ? names.split(',') : [names]
  const envelopes = isBatch ? answer : [answer]
  return envelopes.flatMap(({ result }, index) => (result ? [{ path: paths[index]!, data: result.data }] : []))
}

function rotatedKey({ target }: FuzzRequest, { status, body }: HttpAnswer): string | undefined {
  if (status !== 200 || !target.includes('/v1/api-keys/rotate')) return undefined
  return /"key":"([^"]+)"/.exec(body.toString())?.[1]
}

function shown({ bytes }: FuzzRequest, outcome: AnyOutcome): string {
  const answer =
    typeof outcome === 'string' || outcome instanceof Error ? outcome : `${outcome.status} ${outcome.body.toString()}`
  return `${JSON.stringify(bytes.toString('latin1').slice(0, 600))} -> ${String(answer).slice(0, 400)}`
}
