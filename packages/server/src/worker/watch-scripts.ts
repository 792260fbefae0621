import type { KnownScript } from '../domain/scenario.ts'
import type { Log } from '../observe/log.ts'
import type { ScriptClient } from './announce.ts'
import type { ScriptSource } from './scripts.ts'

/** With the time in which an API process learns of a scenario of another one, this is below a second. */
const ASK_EVERY_MS = 400
const ASK_AFTER_FAILURE_MS = 5_000
/** An API of another kind, or of an older version. */
const ASK_WITHOUT_SCENARIOS_MS = 60_000

/** An API that takes longer for the first response does not delay the start. */
const FIRST_MS_MAX = 2_000

export type WatchedScripts = ScriptSource & { close(): void }

/** Asks an API in another process which addresses have scripts. Resolves when they are known, so that none is missed after a restart. */
export async function watchScripts(client: ScriptClient, log: Pick<Log, 'warn'>): Promise<WatchedScripts> {
  let scripts: KnownScript[] = []
  let version: string | null = null
  let timer: NodeJS.Timeout | undefined
  let isFailing = false
  let isClosed = false

  async function ask(): Promise<void> {
    let nextMs = ASK_EVERY_MS
    try {
      const answer = await client.list(version)
      isFailing = false
      if (answer === null) nextMs = ASK_WITHOUT_SCENARIOS_MS
      else if (answer.scripts !== null) {
        scripts = answer.scripts
        version = answer.version
      }
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'asking for scenarios failed, new ones are not in force, will retry')
      isFailing = true
      nextMs = ASK_AFTER_FAILURE_MS
    }
    if (!isClosed) timer = setTimeout(() => void ask(), nextMs).unref()
  }

  await Promise.race([ask(), new Promise<void>((resolve) => setTimeout(resolve, FIRST_MS_MAX).unref())])
  return {
    known: () => scripts,
    takeStep: client.takeStep,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
