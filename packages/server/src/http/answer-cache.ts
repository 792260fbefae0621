import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Store } from '../store/store.ts'
import { newRequestId } from './request-id.ts'

/** Nobody polls more slowly than this and cares. */
const KEPT_MS = 1_000
const ANSWERS_MAX = 500
const ANSWER_CHARACTERS_MAX = 64 * 1024

type Answer = { version: number; until: number; keyId: string; json: string }

export type AnswerCache = {
  /** Answers a request as it was answered before, if nothing at all has changed in the store since. */
  repeat(request: IncomingMessage, response: ServerResponse): boolean
  /** Keeps an answer that was read from the store after it had this version, and that time outdates `until`. */
  keep(request: IncomingMessage, read: { version: number | null; until: number; keyId: string; json: string }): void
}

type Ports = { store: Pick<Store, 'version'>; recordKeyUse: (keyId: string) => void; now: () => number }

/**
 * Clients that poll ask the same again and again. The store's version changes with every commit of any process, so an
 * answer of the same version, to the same key, is the answer. It is given before anything else looks at the request.
 */
export function createAnswerCache({ store, recordKeyUse, now }: Ports): AnswerCache {
  const answers = new Map<string, Answer>()

  return {
    repeat(request, response) {
      // What browsers ask needs headers of its own.
      if (request.headers.origin !== undefined) return false
      const answer = answers.get(keyOf(request))
      if (!answer || answer.until <= now() || answer.version !== store.version()) return false
      recordKeyUse(answer.keyId)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer.json),
        'x-request-id': newRequestId(),
      })
      response.end(answer.json)
      return true
    },
    keep(request, { version, until, keyId, json }) {
      if (version === null || json.length > ANSWER_CHARACTERS_MAX) return
      if (answers.size >= ANSWERS_MAX) answers.clear()
      answers.set(keyOf(request), { version, until: Math.min(until, now() + KEPT_MS), keyId, json })
    },
  }
}

function keyOf({ method, url, headers }: IncomingMessage): string {
  return `${method} ${headers.authorization} ${url}`
}
