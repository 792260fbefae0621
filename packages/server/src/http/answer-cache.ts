import type { Store } from '../store/store.ts'

/** Nobody polls more slowly than this and cares. */
const KEPT_MS = 1_000
const ANSWERS_MAX = 500
const ANSWER_CHARACTERS_MAX = 64 * 1024

type Answer = { version: number; until: number; keyId: string; json: string }

export type AnswerCache = {
  /** The answer to just this request, if nothing at all has changed in the store since it was given. */
  find(request: Request): Answer | null
  /** Keeps an answer that was read from the store after it had this version, and that time outdates `until`. */
  keep(request: Request, read: { version: number | null; until: number; keyId: string; json: string }): void
}

/**
 * Clients that poll ask the same again and again. The store's version changes with every commit of any process, so an
 * answer of the same version, to the same key, is the answer.
 */
export function createAnswerCache(store: Pick<Store, 'version'>): AnswerCache {
  const answers = new Map<string, Answer>()

  return {
    find(request) {
      const answer = answers.get(keyOf(request))
      if (!answer || answer.version !== store.version() || answer.until <= Date.now()) return null
      return answer
    },
    keep(request, { version, until, keyId, json }) {
      if (version === null || json.length > ANSWER_CHARACTERS_MAX) return
      if (answers.size >= ANSWERS_MAX) answers.clear()
      answers.set(keyOf(request), { version, until: Math.min(until, Date.now() + KEPT_MS), keyId, json })
    },
  }
}

function keyOf(request: Request): string {
  return `${request.method} ${request.headers.get('authorization')} ${request.url}`
}
