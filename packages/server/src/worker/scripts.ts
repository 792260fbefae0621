import type { Recipient } from '../domain/address.ts'
import type { Action, KnownScript } from '../domain/scenario.ts'
import { ScriptIndex } from '../domain/script-index.ts'
import type { Log } from '../observe/log.ts'
import type { StepRequest } from './announce.ts'

/** How long a sender may wait for the next step. Then its mail is accepted as usual. */
const STEP_MS_MAX = 10_000

/** Which addresses have scripts, and what the next mail for one of them gets. */
export type ScriptSource = {
  /** The same array until it changes. */
  known: () => KnownScript[]
  takeStep: (request: StepRequest) => Promise<Action>
}

/** What happens to a mail for an address with a script. */
export type MailPlan = {
  teamId: string
  action: Action
  /** False when its address has no script any more. */
  isInForce: () => boolean
}

export type Scripts = {
  /** Null for an address without a script, about which nothing is asked. */
  planFor(recipient: Recipient): Promise<MailPlan> | null
}

export function createScripts({ known, takeStep }: ScriptSource, log: Pick<Log, 'warn'>): Scripts {
  let indexed: KnownScript[] = []
  let index = new ScriptIndex(indexed)

  function scriptFor(recipient: Recipient): KnownScript | null {
    const scripts = known()
    if (scripts !== indexed) {
      index = new ScriptIndex(scripts)
      indexed = scripts
    }
    return index.find(recipient)
  }

  async function planBy({ teamId, id }: KnownScript, recipient: Recipient): Promise<MailPlan> {
    const { domain, mailbox, tag } = recipient
    return {
      teamId,
      action: await within(STEP_MS_MAX, takeStep({ teamId, id, recipient: { domain, mailbox, tag } })).catch(
        acceptAsUsual,
      ),
      isInForce: () => scriptFor(recipient) !== null,
    }
  }

  function acceptAsUsual(error: unknown): Action {
    log.warn(
      { err: error },
      'a mail for an address with a scenario is accepted as usual, because the next step is unknown',
    )
    return { do: 'accept' }
  }

  return {
    planFor(recipient) {
      const script = scriptFor(recipient)
      return script === null ? null : planBy(script, recipient)
    },
  }
}

async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no response within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([promise, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
