import { AppError } from '../domain/errors.ts'
import { networkOf } from './network.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Some 20 MB; beyond, those who tried first are forgotten. */
const KEYS_MAX = 100_000

export type TryLimit = {
  /** Counts a try before it is made, so that many at once are counted too; throws 429 when there were too many. */
  begin(key: string): void
  /** The try was none of a guesser. */
  undo(key: string): void
  clear(key: string): void
}

type Options = {
  triesMax: number
  windowMs: number
  /** After this many tries each further one has to wait, twice as long as the one before. */
  freeTries: number
  now: () => number
}

type Tries = { count: number; endsAt: number; nextAt: number }

/** Counted in this process alone: with n replicas, n times as many tries. */
export function createTryLimit({ triesMax, windowMs, freeTries, now }: Options): TryLimit {
  const known = new Map<string, Tries>()

  function makeRoom(at: number): void {
    if (known.size < KEYS_MAX) return
    for (const [key, { endsAt }] of known) if (endsAt <= at) known.delete(key)
    for (const key of known.keys()) {
      if (known.size < KEYS_MAX) return
      known.delete(key)
    }
  }

  return {
    begin(key) {
      const at = now()
      const found = known.get(key)
      if (!found || found.endsAt <= at) {
        known.delete(key)
        makeRoom(at)
        known.set(key, { count: 1, endsAt: at + windowMs, nextAt: 0 })
        return
      }
      const freeAt = found.count >= triesMax ? found.endsAt : found.nextAt
      if (freeAt > at) throw tooMany(freeAt - at)
      found.count++
      const waits = found.count - freeTries
      if (waits >= 0) found.nextAt = Math.min(at + 1_000 * 2 ** waits, found.endsAt)
    },
    undo(key) {
      const found = known.get(key)
      if (found) found.count--
    },
    clear(key) {
      known.delete(key)
    },
  }
}

/** Of an account, of a network address, and of mails to one person. */
export type SignInLimits = { account: TryLimit; address: TryLimit; mail: TryLimit }

export function createSignInLimits(now: () => number): SignInLimits {
  return {
    account: createTryLimit({ triesMax: 10, windowMs: 15 * MINUTE_MS, freeTries: 3, now }),
    // Many people may share one.
    address: byNetwork(createTryLimit({ triesMax: 100, windowMs: HOUR_MS, freeTries: 100, now })),
    // Nobody's mailbox is to be filled by strangers.
    mail: createTryLimit({ triesMax: 5, windowMs: HOUR_MS, freeTries: 5, now }),
  }
}

function byNetwork({ begin, undo, clear }: TryLimit): TryLimit {
  return {
    begin: (address) => begin(networkOf(address)),
    undo: (address) => undo(networkOf(address)),
    clear: (address) => clear(networkOf(address)),
  }
}

function tooMany(waitMs: number): AppError {
  return new AppError('rate_limited', 'Too many tries. Please wait.', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  })
}
