import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import { networkOf } from './network.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** About 20 MB. Beyond this, the oldest keys are forgotten. */
const KEYS_MAX = 100_000

export type AttemptLimit = {
  /**
   * Counts an attempt before it is made, so that concurrent ones count too. Throws 429 if there were too many. Returns the
   * number of attempts in this window.
   */
  begin(key: string, attemptsMax?: number): number
  /** The attempt was legitimate and does not count. */
  undo(key: string): void
  clear(key: string): void
}

type Options = {
  attemptsMax: number
  windowMs: number
  /** After this many attempts, each further one has to wait twice as long as the previous one. */
  freeAttempts: number
  now: () => number
}

type AttemptCount = { count: number; endsAt: number; nextAt: number }

/** Counts in this process only: n replicas allow n times as many attempts. */
export function createAttemptLimit({ attemptsMax: usualMax, windowMs, freeAttempts, now }: Options): AttemptLimit {
  const known = new Map<string, AttemptCount>()

  function makeRoom(at: number): void {
    if (known.size < KEYS_MAX) return
    // Sorted by the end of their window, because a key that starts a new window is inserted again.
    for (const [key, { endsAt }] of known) {
      if (known.size < KEYS_MAX && endsAt > at) return
      known.delete(key)
    }
  }

  return {
    begin(key, attemptsMax = usualMax) {
      const at = now()
      const found = known.get(key)
      if (!found || found.endsAt <= at) {
        known.delete(key)
        makeRoom(at)
        known.set(key, { count: 1, endsAt: at + windowMs, nextAt: 0 })
        return 1
      }
      const freeAt = found.count >= attemptsMax ? found.endsAt : found.nextAt
      if (freeAt > at) throw tooMany(freeAt - at)
      found.count++
      const waits = found.count - freeAttempts
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

/** Limits for passwords, network addresses, changes in one session, and mail to one address. */
export type SignInLimits = { password: PasswordLimit; address: AddressLimit; session: AttemptLimit; mail: AttemptLimit }

const PASSWORD_ATTEMPTS = { attemptsMax: 10, windowMs: 15 * MINUTE_MS, freeAttempts: 3 }

export function createSignInLimits(now: () => number): SignInLimits {
  return {
    password: createPasswordLimit(now),
    // Only the user has the session, so others cannot use up its attempts.
    session: createAttemptLimit({ ...PASSWORD_ATTEMPTS, now }),
    // Many users may share an address.
    address: createAddressLimit(now),
    // Strangers must not be able to fill a mailbox.
    mail: createAttemptLimit({ attemptsMax: 5, windowMs: HOUR_MS, freeAttempts: 5, now }),
  }
}

/** A password attempt for an account from a network address. */
type PasswordAttempt = { email: string; address: string }

export type PasswordLimit = { begin(tried: PasswordAttempt): void; clear(tried: PasswordAttempt): void }

/** Failures for one account from all addresses per hour. More than this is an attack. */
const ATTACKED_AFTER = 100
/** The number of attempts without a delay, so that the owner can still sign in from their own address. */
const ATTEMPTS_WHEN_ATTACKED = PASSWORD_ATTEMPTS.freeAttempts

/**
 * Counts by account and network address together, so that others cannot use up the owner's attempts. While many
 * addresses guess the password of one account, each gets fewer attempts. That slows guessing and never refuses a first
 * attempt.
 */
function createPasswordLimit(now: () => number): PasswordLimit {
  const perAddress = createAttemptLimit({ ...PASSWORD_ATTEMPTS, now })
  const perAccount = createAttemptLimit({ attemptsMax: Infinity, windowMs: HOUR_MS, freeAttempts: Infinity, now })
  const keyOf = ({ email, address }: PasswordAttempt) => `${networkOf(address)} ${fold(email)}`
  return {
    begin(tried) {
      const isAttacked = perAccount.begin(fold(tried.email)) > ATTACKED_AFTER
      perAddress.begin(keyOf(tried), isAttacked ? ATTEMPTS_WHEN_ATTACKED : PASSWORD_ATTEMPTS.attemptsMax)
    },
    clear(tried) {
      perAccount.undo(fold(tried.email))
      perAddress.clear(keyOf(tried))
    },
  }
}

/** `claimed` is the client address that an untrusted proxy reports. */
export type ClientAddress = { socket: string; claimed: string | null }

export type AddressLimit = { begin(address: ClientAddress): void; undo(address: ClientAddress): void }

/**
 * Counts by network address. Each client behind an untrusted proxy has its own attempts, so that one cannot use up those
 * of all. All clients together have ten times as many, so that inventing clients gains little.
 */
function createAddressLimit(now: () => number): AddressLimit {
  const perClient = createAttemptLimit({ attemptsMax: 100, windowMs: HOUR_MS, freeAttempts: 100, now })
  const perProxy = createAttemptLimit({ attemptsMax: 1_000, windowMs: HOUR_MS, freeAttempts: 1_000, now })
  const keyOf = ({ socket, claimed }: ClientAddress) =>
    claimed === null ? networkOf(socket) : `${networkOf(socket)} for ${networkOf(claimed)}`
  return {
    begin(address) {
      perClient.begin(keyOf(address))
      if (address.claimed !== null) perProxy.begin(networkOf(address.socket))
    },
    undo(address) {
      perClient.undo(keyOf(address))
      if (address.claimed !== null) perProxy.undo(networkOf(address.socket))
    },
  }
}

function tooMany(waitMs: number): AppError {
  return new AppError('rate_limited', 'Too many attempts. Please wait.', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  })
}
