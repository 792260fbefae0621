import type { KnownScript } from '../domain/scenario.ts'
import type { Log } from '../observe/log.ts'
import type { ScriptClient } from './announce.ts'
import { createScripts, type Scripts } from './scripts.ts'

/** With the time in which an API process learns of a scenario of another one, this is below a second. */
const FRESH_MS = 400
/** After a failure, mail is accepted as usual for a while: an API that does not respond must not delay each mail. */
const ASK_AFTER_FAILURE_MS = 10_000

type Ports = { client: ScriptClient; log: Pick<Log, 'warn'>; now: () => number }

/** For a runtime in which nothing runs between mails: a mail asks for the addresses with scripts if they are not fresh. */
export function createAskScripts({ client, log, now }: Ports): () => Promise<Scripts> {
  let known: KnownScript[] = []
  let version: string | null = null
  let freshUntil = 0
  const scripts = createScripts({ known: () => known, takeStep: client.takeStep }, log)

  // Mails do not share a request: workerd refuses to wait for that of another event.
  return async () => {
    if (now() < freshUntil) return scripts
    try {
      const answer = await client.list(version)
      freshUntil = now() + (answer === null ? ASK_AFTER_FAILURE_MS : FRESH_MS)
      if (answer?.scripts) {
        known = answer.scripts
        version = answer.version
      }
    } catch (error) {
      freshUntil = now() + ASK_AFTER_FAILURE_MS
      log.warn({ err: error }, 'asking for scenarios failed, mail is accepted as usual')
    }
    return scripts
  }
}
