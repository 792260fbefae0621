import { faultIn } from './answer-check.ts'
import { expectDocumented } from './documented.ts'
import { fuzzRequest, type FuzzIds, type FuzzMaterial, type FuzzRequest } from './fuzz-request.ts'
import { MalformedAnswer, type HttpAnswer } from './http-answer.ts'
import { madeSecretsIn } from './made-secrets.ts'
import { RawConnection, type Outcome } from './raw-connection.ts'

export type FuzzRun = {
  requests: number
  /** One example of each kind. */
  faults: Map<string, string>
  statuses: Map<number, number>
  /** Routes and procedures that answered a request with a success. */
  successes: Set<string>
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
  onProgress?: (done: number) => void
}

const CONNECTIONS = 16
/** A server that takes longer than this hangs. For a machine that is busy with other tests. */
const ANSWER_MS_MAX = 60_000
/** A wait is held for the requested time. The test does not wait longer than this. */
const HELD_MS = 200
const UNREADABLE = ['The URL or the Host header is not valid.', 'The request is not valid HTTP.']
const PROGRESS_EVERY = 2_000
const RENEW_EVERY = 500

/** Sends the requests of a seed on several connections, and checks every answer. */
export async function runRequests(options: RunOptions): Promise<FuzzRun> {
  const { port, material, seed, first = 1, count, renewIds, onProgress } = options
  const run: FuzzRun = { requests: 0, faults: new Map(), statuses: new Map(), successes: new Set() }
  let next = first
  const end = first + count

  async function fuzzOnOneConnection(stop: number): Promise<void> {
    const line = new Line(port)
    while (next < stop) {
      const number = next++
      const request = fuzzRequest({ seed, number }, material)
      const outcomes = await line.send(request)
      run.requests++
      for (const outcome of outcomes) {
        const fault = faultOf(request, outcome)
        if (fault !== null) run.faults.set(fault, `seed ${seed}, request ${number}: ${shown(request, outcome)}`)
        if (typeof outcome === 'string' || outcome instanceof Error) continue
        madeSecretsIn(outcome.body.toString())
        run.statuses.set(outcome.status, (run.statuses.get(outcome.status) ?? 0) + 1)
        if (request.operation !== null && outcome.status < 400) run.successes.add(request.operation)
        material.rotatingKey = rotatedKey(request, outcome) ?? material.rotatingKey
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
  return run
}

type AnyOutcome = Outcome | MalformedAnswer

/** A kept connection that is replaced after use. Requests that need their own connection get one. */
class Line {
  #port: number
  #connection: RawConnection | null = null

  constructor(port: number) {
    this.#port = port
  }

  /** As many outcomes as there are copies, unless one of them ends the connection. */
  async send(request: FuzzRequest): Promise<AnyOutcome[]> {
    const wasKept = !request.isAlone && this.#connection !== null
    const outcome = await this.#sendOnce(request)
    // The server may close a kept connection during a write; any client retries then.
    return outcome[0] === 'closed' && wasKept ? this.#sendOnce(request) : outcome
  }

  close(): void {
    this.#connection?.close()
    this.#connection = null
  }

  async #sendOnce({ bytes, method, target, isAlone, isTruncated, copies }: FuzzRequest): Promise<AnyOutcome[]> {
    if (isAlone || this.#connection?.isClosed) this.close()
    this.#connection ??= await RawConnection.open(this.#port)
    const boundMs = isHeld(target) ? HELD_MS : ANSWER_MS_MAX
    const outcomes: AnyOutcome[] = []
    try {
      for (let copy = 1; copy <= copies; copy++) {
        const outcome = await this.#connection.exchange({
          bytes: copy === 1 ? bytes : Buffer.alloc(0),
          isHead: method === 'HEAD',
          boundMs,
          isLast: isTruncated,
          hasMore: copy < copies,
        })
        outcomes.push(outcome)
        const isKept = typeof outcome !== 'string' && outcome.isConnectionKept
        if (!isKept) this.close()
        if (!isKept) break
      }
      if (isAlone) this.close()
    } catch (error) {
      this.close()
      if (!(error instanceof MalformedAnswer)) throw error
      outcomes.push(error)
    }
    return outcomes
  }
}

function faultOf(request: FuzzRequest, outcome: AnyOutcome): string | null {
  const { method, target, isTruncated, isPlain } = request
  // After `100 Continue`, a body that never ends gets no answer.
  if (outcome instanceof MalformedAnswer) return isTruncated ? null : `no HTTP: ${outcome.message}`
  if (outcome === 'closed') return isTruncated ? null : `${method}: closed without an answer`
  if (outcome === 'silent') return isTruncated || isHeld(target) ? null : `${method}: no answer in time`
  const isPreflight = method === 'OPTIONS' && outcome.status === 204
  if (isPreflight && outcome.body.length === 0) return null
  const fault = faultIn(outcome, { isHead: method === 'HEAD', path: target })
  if (fault !== null) return `${outcome.status}: ${fault}`
  return isPlain && method !== 'HEAD' ? undocumented(request, outcome) : null
}

const isHeld = (target: string) => /wait/.test(target)

/** What the API's document does not have of this answer. */
function undocumented({ method, target }: FuzzRequest, { status, headers, body, isEventStream }: HttpAnswer) {
  const url = `http://localhost${target}`
  // Odd targets are no paths. Event streams are checked by their own tests.
  if (!target.startsWith('/') || !URL.canParse(url) || isEventStream) return null
  // Refused before it reached an operation.
  if (status === 400 && UNREADABLE.some((sentence) => body.includes(sentence))) return null
  try {
    const isJson = headers.get('content-type')?.startsWith('application/json')
    expectDocumented(method, url, {
      status,
      headers: new Headers(Object.fromEntries(headers)),
      body: isJson ? JSON.parse(body.toString()) : body.toString(),
    })
    return null
  } catch (error) {
    return `outside the schema: ${(error as Error).message.slice(0, 200)}`
  }
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
