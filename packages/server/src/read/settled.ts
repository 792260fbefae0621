import { isNothing, NOTHING_ON_ITS_WAY, type AddressRange } from '../domain/transit.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import type { Inquiry, WorkerExchange } from './worker-exchange.ts'

/**
 * How often to ask while mail is on its way: less often when that takes long. A message ends the pause, and so does a worker that has
 * no such mail any more; these times count where such a report is lost, or too many are watched.
 */
const ASK_EVERY_MS_MIN = 50
const ASK_EVERY_MS_MAX = 150
const ASK_EVERY_PART = 1 / 20

/** How long the last question may take, beyond the time of the wait. */
const LAST_ANSWER_MS = 500

/** What cannot be known, but is not about to become known either. */
const NEVER_KNOWN = ['worker_unasked', 'no_worker']

type Ports = {
  store: Pick<Store, 'newestPosition' | 'followMessages'>
  exchange: Pick<WorkerExchange, 'ask'>
  now: () => number
}

type Settling = { view: View; range: AddressRange; quietMs: number; waitMs: number }

/** `at`: all mail that had reached a worker by then was looked at. `position`: up to there, messages are counted. */
type Settlement = Inquiry & { isSettled: boolean; at: number; position: number }

/**
 * Finds out when no mail for some addresses is on its way, and none became visible for a while. The order is what makes it
 * true: first the workers answer, then the store is read. A worker has a mail until it is a message, so each mail is seen in one of
 * the two.
 */
export async function beginSettling({ store, exchange, now }: Ports, { view, range, quietMs, waitMs }: Settling) {
  const endsAt = performance.now() + waitMs
  let quietFrom = performance.now()
  let askedFrom: number | null = null
  /** No message of the view has come since the last inquiry began. */
  let isCurrent = false
  let emptied = Promise.withResolvers<null>()
  let newest: Settlement = {
    isSettled: false,
    at: now(),
    position: await store.newestPosition(view.teamId),
    onItsWay: NOTHING_ON_ITS_WAY,
    setAside: 0,
    unknown: [],
  }

  async function hasNew(): Promise<boolean> {
    view.proceed?.()
    const upTo = await store.newestPosition(view.teamId)
    if (upTo === newest.position) return false
    const found = await store.followMessages(view, { after: newest.position, upTo, limit: 1 })
    newest = { ...newest, position: upTo }
    if (found.length > 0) isCurrent = false
    return found.length > 0
  }

  const quietLeftMs = () => quietFrom + quietMs - performance.now()

  /** Asks all workers, then reads. False if a message came meanwhile. */
  async function inquire(): Promise<boolean> {
    const at = now()
    askedFrom ??= performance.now()
    const waitMs = Math.max(LAST_ANSWER_MS, endsAt - performance.now())
    emptied = Promise.withResolvers<null>()
    const onEmptied = () => emptied.resolve(null)
    newest = { ...newest, at, ...(await exchange.ask(range, { waitMs, onEmptied })) }
    isCurrent = true
    return !(await hasNew())
  }

  return {
    async look(): Promise<Settlement | null> {
      if (await hasNew()) quietFrom = performance.now()
      if (quietLeftMs() > 0) return null
      if (!(await inquire())) quietFrom = performance.now()
      const isKnown = newest.unknown.every(({ reason }) => NEVER_KNOWN.includes(reason))
      if (!isKnown || !isNothing(newest.onItsWay) || quietLeftMs() > 0) return null
      return { ...newest, isSettled: true }
    },
    lookAgain(): { afterMs: number; sooner: Promise<null> } {
      const leftMs = Math.ceil(quietLeftMs())
      // Until then, no worker is asked.
      if (leftMs > 0) return { afterMs: leftMs, sooner: new Promise(() => {}) }
      const askedForMs = performance.now() - (askedFrom ?? performance.now())
      const afterMs = Math.min(Math.max(ASK_EVERY_MS_MIN, askedForMs * ASK_EVERY_PART), ASK_EVERY_MS_MAX)
      return { afterMs, sooner: emptied.promise }
    },
    /** What is known when the time is up. Asks again if a message came since: it may have been on its way. */
    async giveUp(): Promise<Settlement> {
      await hasNew()
      if (!isCurrent) await inquire()
      return newest
    },
  }
}
