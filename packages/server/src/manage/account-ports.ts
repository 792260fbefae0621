import type { Log } from '../observe/log.ts'
import type { Store } from '../store/store.ts'
import type { Mailer } from './mailer.ts'
import type { Passwords } from './passwords.ts'
import type { Site } from './site.ts'
import type { SignInLimits } from './attempt-limit.ts'

/** Who may create an account: everyone, or only people whom a team has invited. */
export type SignUp = 'open' | 'invite'

/** Ports of the account functions. Each takes only those it needs. */
export type AccountPorts = {
  store: Store
  site: Site
  passwords: Passwords
  limits: SignInLimits
  /** Null without an SMTP relay. */
  mailer: Mailer | null
  signUp: SignUp
  /** Called after a key was deleted: ends everything that the key holds open. */
  endKey: (keyId: string) => void
  newId: (now: number) => string
  newSecret: () => string
  now: () => number
  log: Pick<Log, 'error'>
}
