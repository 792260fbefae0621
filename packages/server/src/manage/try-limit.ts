import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import { networkOf } from './network.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Some 20 MB; beyond, those who tried first are forgotten. */
const KEYS_MAX = 100_000

export type TryLimit = {
  /**
   * Counts a try before it is made, so that many at once are counted too; throws 429 when there were too many. Returns
   * how many there were in this window.
   */
  begin(key: string, triesMax?: number): number
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
export function createTryLimit({ triesMax: usualMax, windowMs, freeTries, now }: Options): TryLimit {
  const known = new Map<string, Tries>()

  function makeRoom(at: number): void {
    if (known.size < KEYS_MAX) return
    // In the order of their windows, because a key that begins a new one is set anew.
    for (const [key, { endsAt }] of known) {
      if (known.size < KEYS_MAX && endsAt > at) return
      known.delete(key)
    }
  }

  return {
    begin(key, triesMax = usualMax) {
      const at = now()
      const found = known.get(key)
      if (!found || found.endsAt <= at) {
        known.delete(key)
        makeRoom(at)
        known.set(key, { count: 1, endsAt: at + windowMs, nextAt: 0 })
        return 1
      }
      const freeAt = found.count >= triesMax ? found.endsAt : found.nextAt
      if (freeAt > at) throw tooMany(freeAt - at)
      found.count++
      const waits = found.count - freeTries
      if (waits >= 0) found.nextAt = Math.min(at + 1_000 * 2 ** waits, found.endsAt)
      return found.count
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

/** Of passwords, of a network address, of changes in one session, and of mails to one person. */
export type SignInLimits = { password: PasswordLimit; address: AddressLimit; session: TryLimit; mail: TryLimit }

const PASSWORD_TRIES = { triesMax: 10, windowMs: 15 * MINUTE_MS, freeTries: 3 }

export function createSignInLimits(now: () => number): SignInLimits {
  return {
    password: createPasswordLimit(now),
    // Nobody else has the session, so nobody else can use up its tries.
    session: createTryLimit({ ...PASSWORD_TRIES, now }),
    // Many people may share one.
    address: createAddressLimit(now),
    // Nobody's mailbox is to be filled by strangers.
    mail: createTryLimit({ triesMax: 5, windowMs: HOUR_MS, freeTries: 5, now }),
  }
}

/** A password that is tried for an account from a network address. */
type Tried = { email: string; address: string }

export type PasswordLimit = { begin(tried: Tried): void; clear(tried: Tried): void }

/** Failures for one account from all addresses in an hour; more is no forgetful owner. */
const ATTACKED_AFTER = 100
/** As many as need not wait: the owner, at an address of their own, still gets in. */
const TRIES_WHEN_ATTACKED = PASSWORD_TRIES.freeTries

/**
 * Counted by account and network address together: at another address nobody can use up the owner's tries. While many
 * addresses guess at one account, each has fewer tries; that slows guessing and refuses no first try.
 */
function createPasswordLimit(now: () => number): PasswordLimit {
  const together = createTryLimit({ ...PASSWORD_TRIES, now })
  const everywhere = createTryLimit({ triesMax: Infinity, windowMs: HOUR_MS, freeTries: Infinity, now })
  const keyOf = ({ email, address }: Tried) => `${networkOf(address)} ${fold(email)}`
  return {
    begin(tried) {
      const isAttacked = everywhere.begin(fold(tried.email)) > ATTACKED_AFTER
      together.begin(keyOf(tried), isAttacked ? TRIES_WHEN_ATTACKED : PASSWORD_TRIES.triesMax)
    },
    clear(tried) {
      everywhere.undo(fold(tried.email))
      together.clear(keyOf(tried))
    },
  }
}

/** `claimed`: whom a proxy that is not trusted names as its client. */
export type ClientAddress = { socket: string; claimed: string | null }

export type AddressLimit = { begin(address: ClientAddress): void; undo(address: ClientAddress): void }

/**
 * By network address. Behind a proxy that is not trusted each of its clients has its own tries, so that one cannot use up
 * those of all; all together have ten times as many, so that inventing clients gains little.
 */
function createAddressLimit(now: () => number): AddressLimit {
  const ofOne = createTryLimit({ triesMax: 100, windowMs: HOUR_MS, freeTries: 100, now })
  const ofProxy = createTryLimit({ triesMax: 1_000, windowMs: HOUR_MS, freeTries: 1_000, now })
  const keyOf = ({ socket, claimed }: ClientAddress) =>
    claimed === null ? networkOf(socket) : `${networkOf(socket)} for ${networkOf(claimed)}`
  return {
    begin(address) {
      ofOne.begin(keyOf(address))
      if (address.claimed !== null) ofProxy.begin(networkOf(address.socket))
    },
    undo(address) {
      ofOne.undo(keyOf(address))
      if (address.claimed !== null) ofProxy.undo(networkOf(address.socket))
    },
  }
}

function tooMany(waitMs: number): AppError {
  return new AppError('rate_limited', 'Too many tries. Please wait.', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  })
}
