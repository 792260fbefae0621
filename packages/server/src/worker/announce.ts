import { reasonOf } from '../domain/reason.ts'
import type { Announcement } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { WORKER_FAILED } from '../domain/retry.ts'
import type { Action, KnownScript } from '../domain/scenario.ts'
import type { FailedAttempt, SetAsideNotice } from '../domain/set-aside.ts'
import { WORKER_HEADER, type TransitAnswer, type TransitQuestion } from '../domain/transit.ts'
import type { SendAttempts } from './attempt-queue.ts'

export type ApiResponse = {
  status: number
  /** Used only when the API refuses the announcement. */
  text: string
  /** Origin that a redirect points to. */
  location?: string | null
}

/** Sends an announcement to the API: over HTTP, or directly within the same process. */
export type Post = (announcement: Announcement) => Promise<ApiResponse>

/** Reports a set-aside mail to the API, which shows waiting clients the reason. False if the API did not accept it. */
export type Report = (notice: SetAsideNotice) => Promise<boolean>

export type AnnounceOutcome = { ok: true } | FailedAnnouncement
export type FailedAnnouncement = { ok: false; error: string } & FailedAttempt

/** The longest response is the list of the addresses with scenarios: `KNOWN_SCRIPTS_MAX`. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024
/** The API has no ledger, or these attempts are not valid for it. */
const ATTEMPTS_NOT_TAKEN = [400, 404, 405, 413, 422]
/** Characters of a response kept as the reason of a failed attempt. */
const REASON_CHARACTERS_MAX = 300

export async function announce(post: Post, announcement: Announcement): Promise<AnnounceOutcome> {
  try {
    const { status, text, location } = await post(announcement)
    if (status >= 200 && status < 300) return { ok: true }
    const reason = location ? `redirects to ${location}` : text
    return {
      ok: false,
      status,
      code: codeIn(text),
      isLost: false,
      error: `${status} ${reason.slice(0, REASON_CHARACTERS_MAX)}`,
    }
  } catch (error) {
    if (error instanceof Unsendable) return workerFailure(error.cause)
    return { ok: false, status: null, code: null, isLost: isLostConnection(error), error: shortReason(error) }
  }
}

/** Code of the worker failed on this mail. */
export function workerFailure(error: unknown): FailedAnnouncement {
  return { ok: false, status: null, code: WORKER_FAILED, isLost: false, error: shortReason(error) }
}

function shortReason(error: unknown): string {
  return reasonOf(error).slice(0, REASON_CHARACTERS_MAX)
}

/** The body of the request could not be created. */
class Unsendable extends Error {}

/** Asks what a script says about a mail for the recipient. */
export type StepRequest = Pick<KnownScript, 'teamId' | 'id'> & {
  recipient: Pick<Recipient, 'domain' | 'mailbox' | 'tag'>
}

/** How the worker asks for scenarios. */
export type ScriptClient = {
  /** Null if the API has no scenarios. `scripts` is null if nothing has changed since that version. */
  list(version: string | null): Promise<{ version: string; scripts: KnownScript[] | null } | null>
  takeStep(request: StepRequest): Promise<Action>
}

/** What a worker sends to get the next questions. The API holds the response for `holdMs` if there are none. */
export type QuestionPoll = {
  worker: string
  holdMs: number
  answers: (TransitAnswer & { id: string })[]
  /** The worker stops, and has no mail left. */
  isLeaving?: true
}

export type QuestionClient = {
  /** Null if the API has no questions. Ends with the signal. */
  poll(poll: QuestionPoll, signal: AbortSignal): Promise<TransitQuestion[] | null>
}

/**
 * Posts and follows no redirect: token and mail are for the address that was configured. Throws without a response, whose end is
 * cut off if it is too long.
 */
export type PostJson = (
  url: string,
  post: { headers: Record<string, string>; body: string; signal: AbortSignal; answerBytesMax?: number },
) => Promise<{ status: number; text: string; location: string | null }>

type Address = {
  url: string
  token: string
  timeoutMs: number
  /** Identifies a worker that answers questions. Missing if it does not. */
  worker?: string
  postJson?: PostJson
}

export type ApiClient = {
  post: Post
  report: Report
  scripts: ScriptClient
  sendAttempts: SendAttempts
  questions: QuestionClient
}

/** How the worker calls the API over HTTP. */
export function createApiClient(address: Address): ApiClient {
  const notices = { ...address, url: urlBelow(address.url, 'set-aside') }
  return {
    post: (announcement) => send(address, announcement),
    async report(notice) {
      const { status, text } = await send(notices, notice)
      // An older API has no such route, and its 404 has an error code. A proxy's 404 means a wrong path and has none.
      const isUnsupported = (status === 404 || status === 405) && codeIn(text) !== null
      return (status >= 200 && status < 300) || isUnsupported
    },
    scripts: {
      async list(version) {
        const { status, text } = await send({ ...address, url: urlBelow(address.url, 'scripts') }, { version })
        if (status === 404 || status === 405) return null
        const { version: newest, scripts } = readAnswer(status, text)
        // An API of another kind may answer anything.
        const isKnown = typeof newest === 'string' && (scripts === null || Array.isArray(scripts))
        return isKnown ? { version: newest, scripts } : null
      },
      async takeStep(request) {
        const { status, text } = await send({ ...address, url: urlBelow(address.url, 'scripts/step') }, request)
        return readAnswer(status, text).action
      },
    },
    async sendAttempts(group) {
      const { status, text } = await send({ ...address, url: urlBelow(address.url, 'attempts') }, group)
      if (ATTEMPTS_NOT_TAKEN.includes(status)) return false
      readAnswer(status, text)
      return true
    },
    questions: {
      async poll(poll, signal) {
        const { status, text } = await send({ ...address, url: urlBelow(address.url, 'questions') }, poll, signal)
        if (status === 404 || status === 405) return null
        const { questions } = readAnswer(status, text)
        return Array.isArray(questions) ? questions : null
      },
    },
  }
}

/** Everything else than announcements goes to a path below theirs. */
function urlBelow(announcementsUrl: string, path: string): string {
  const url = new URL(announcementsUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`
  return url.href
}

/** The JSON of a success. Its form is not checked, because it is that of our API. */
function readAnswer(status: number, text: string) {
  if (status !== 200) throw new Error(`${status} ${text.slice(0, REASON_CHARACTERS_MAX)}`)
  return JSON.parse(text)
}

async function send(
  { url, token, timeoutMs, worker, postJson = postByFetch }: Address,
  content: object,
  signal = AbortSignal.timeout(timeoutMs),
): Promise<ApiResponse> {
  const { status, text, location } = await postJson(url, {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(worker !== undefined && { [WORKER_HEADER]: worker }),
    },
    body: encode(content),
    signal,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  return { status, text, location: originOf(location, url) }
}

function encode(content: object): string {
  try {
    return JSON.stringify(content)
  } catch (cause) {
    throw new Unsendable('The announcement cannot be encoded', { cause })
  }
}

const postByFetch: PostJson = async (url, { headers, body, signal }) => {
  const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal })
  return { status: response.status, text: await response.text(), location: response.headers.get('location') }
}

/** Only the origin: the rest of a Location can be long or private. */
function originOf(location: string | null, base: string): string | null {
  return location !== null && URL.canParse(location, base) ? new URL(location, base).origin : null
}

/** The stable code of an error of our API; null for any other text. */
export function codeIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('code' in body) || !('error' in body)) return null
    return typeof body.code === 'string' ? body.code : null
  } catch {
    return null
  }
}

/** An established connection was cut: Node's error codes, or workerd's message. Failing to connect has other codes. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const cause: unknown = error.cause ?? error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code) || error.message.startsWith('Network connection lost')
}
