import type { AddressRange, TransitAnswer } from '../domain/transit.ts'
import type { Log } from '../observe/log.ts'
import type { QuestionClient, QuestionPoll } from './announce.ts'
import { watchTransit } from './transit-watch.ts'

/** Half of a short WEBHOOK_TIMEOUT_MS, so that the API responds before the request times out. */
const HOLD_MS_MAX = 5_000
/** An API that was restarted waits for its workers for a little longer than this. */
const RETRY_MS = 500
/** An API of another kind, or of an older version. */
const WITHOUT_QUESTIONS_MS = 10_000
/** An API that does not respond does not delay the start, or the end. */
const RESPONSE_MS_MAX = 2_000

type Ports = {
  client: QuestionClient
  /** Identifies this worker. */
  worker: string
  timeoutMs: number
  answer: (range: AddressRange) => TransitAnswer
  /** Whether no mail is left that the API would not hear of. */
  isEmpty: () => boolean
  log: Pick<Log, 'debug'>
}

export type AnsweredQuestions = { close(): Promise<void> }

/**
 * Answers an API in another process, which asks what mail there is for an address: in a request that the API holds until it
 * has a question. Resolves when the API knows this worker, so that it asks for the first mail too.
 */
export async function answerQuestions(ports: Ports): Promise<AnsweredQuestions> {
  const { client, worker, timeoutMs, answer, isEmpty, log } = ports
  const joined = Promise.withResolvers<void>()
  let isClosing = false
  /** Ends the request that is held, or the pause. */
  let interrupt = () => {}
  const watch = watchTransit(answer, (answers) => {
    // Beside the request that is held.
    const poll = client.poll({ worker, holdMs: 0, answers }, AbortSignal.timeout(RESPONSE_MS_MAX))
    poll.catch((error: unknown) =>
      log.debug({ err: error }, 'the API did not hear that no mail is left for an address'),
    )
  })
  const running = run()

  async function run(): Promise<void> {
    let next: QuestionPoll = { worker, holdMs: 0, answers: [] }
    while (!isClosing) {
      let pauseMs = 0
      const request = new AbortController()
      interrupt = () => request.abort()
      const timer = setTimeout(interrupt, timeoutMs)
      try {
        const questions = await client.poll(next, request.signal)
        if (questions === null) pauseMs = WITHOUT_QUESTIONS_MS
        const answers = (questions ?? []).map((question) => watch.answer(question))
        next = { worker, holdMs: Math.min(HOLD_MS_MAX, timeoutMs / 2), answers }
      } catch (error) {
        log.debug({ err: error }, 'asking for questions failed, will retry')
        next = { ...next, answers: [] }
        pauseMs = RETRY_MS
      }
      clearTimeout(timer)
      joined.resolve()
      if (pauseMs > 0 && !isClosing) await pause(pauseMs)
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const late = setTimeout(joined.resolve, RESPONSE_MS_MAX)
  await joined.promise
  clearTimeout(late)
  return {
    async close() {
      isClosing = true
      interrupt()
      watch.close()
      await running
      // Otherwise the API goes on to expect it, because its mail is not announced yet.
      if (!isEmpty()) return
      const leave: QuestionPoll = { worker, holdMs: 0, answers: [], isLeaving: true }
      await client.poll(leave, AbortSignal.timeout(RESPONSE_MS_MAX)).catch((error: unknown) => {
        log.debug({ err: error }, 'the API did not hear that this worker stops')
      })
    },
  }
}
