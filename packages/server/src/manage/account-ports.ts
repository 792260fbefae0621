import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { Mailer } from './mailer.ts'
import type { Passwords } from './passwords.ts'
import type { SignInLimits } from './try-limit.ts'

/** Who may make an account: everyone, or those whom a team has invited. */
export type SignUp = 'open' | 'invite'

/** What the functions about accounts stand on; each takes what it needs of it. */
export type AccountPorts = {
  store: Store
  passwords: Passwords
  limits: SignInLimits
  /** Null where there is no relay. */
  mailer: Mailer | null
  signUp: SignUp
  appUrl: string
  rootDomain: string
  /** The key is dead: whatever it holds open ends. */
  endKey: (keyId: string) => void
  newId: (now: number) => string
  newSecret: () => string
  now: () => number
  log: Pick<Log, 'error'>
}
