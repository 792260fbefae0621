import type { FuzzRequest } from './fuzz-request.ts'
import { MalformedAnswer } from './http-answer.ts'
import { RawConnection, type Outcome } from './raw-connection.ts'

export type AnyOutcome = Outcome | MalformedAnswer
/** The server holds the request. Its connection is left to it, so that other requests do not wait for it. */
export type Held = { later: Promise<AnyOutcome> }

/** A wait is held for the requested time. Other requests do not wait longer than this for it. */
const HELD_MS = 200
/** The longest `wait` that the API accepts. */
const WAIT_SECONDS_MAX = 60
/** If `settled` is asked without `wait`. Requests invent workers, for whose answers it waits. */
const SETTLED_WAIT_SECONDS = 25

/** A kept connection that is replaced after use. Requests that need their own connection get one. */
export class FuzzLine {
  #port: number
  #answerMsMax: number
  #connection: RawConnection | null = null

  constructor(port: number, answerMsMax: number) {
    this.#port = port
    this.#answerMsMax = answerMsMax
  }

  /** As many outcomes as there are copies, unless one of them ends the connection. */
  async send(request: FuzzRequest): Promise<(AnyOutcome | Held)[]> {
    const wasKept = !request.isAlone && this.#connection !== null
    const outcome = await this.#sendOnce(request)
    // The server may close a kept connection during a write; any client retries then.
    return outcome[0] === 'closed' && wasKept ? this.#sendOnce(request) : outcome
  }

  close(): void {
    this.#connection?.close()
    this.#connection = null
  }

  async #sendOnce({ bytes, method, target, isAlone, isTruncated, copies }: FuzzRequest) {
    if (isAlone || this.#connection?.isClosed) this.close()
    const connection = (this.#connection ??= await RawConnection.open(this.#port))
    const waitMs = mayBeHeld(target) ? requestedWaitMs(target) : null
    // A request with a malformed header may be carried out, such as `gzip, chunked`. Closing our side would break it off.
    const exchange = { isHead: method === 'HEAD', isLast: isTruncated }
    const outcomes: (AnyOutcome | Held)[] = []
    try {
      for (let copy = 1; copy <= copies; copy++) {
        const outcome = await connection.exchange({
          ...exchange,
          bytes: copy === 1 ? bytes : Buffer.alloc(0),
          boundMs: waitMs === null ? this.#answerMsMax : HELD_MS,
          hasMore: copy < copies,
        })
        if (outcome === 'silent' && waitMs !== null && !isTruncated) {
          this.#connection = null
          const rest = { ...exchange, bytes: Buffer.alloc(0), boundMs: this.#answerMsMax + waitMs }
          outcomes.push({ later: outcomeOf(connection.exchange(rest)).finally(() => connection.close()) })
          break
        }
        outcomes.push(outcome)
        const isKept = typeof outcome !== 'string' && outcome.isConnectionKept
        if (!isKept) this.close()
        if (!isKept) break
      }
      if (isAlone) this.close()
    } catch (error) {
      this.close()
      outcomes.push(malformed(error))
    }
    return outcomes
  }
}

async function outcomeOf(exchange: Promise<Outcome>): Promise<AnyOutcome> {
  return exchange.catch(malformed)
}

function malformed(error: unknown): MalformedAnswer {
  if (error instanceof MalformedAnswer) return error
  throw error
}

const mayBeHeld = (target: string) => /wait|settled/.test(target)

function requestedWaitMs(target: string): number {
  const asked = new URLSearchParams(target.slice(target.indexOf('?') + 1)).getAll('wait').map(Number)
  const valid = asked.filter((seconds) => seconds <= WAIT_SECONDS_MAX)
  return 1_000 * Math.max(valid.length === 0 && target.includes('settled') ? SETTLED_WAIT_SECONDS : 0, ...valid)
}
