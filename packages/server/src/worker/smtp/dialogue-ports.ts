import type { EndedAttempt } from '../../domain/attempt.ts'
import type { Scripts } from '../scripts.ts'
import type { Transit } from '../transit.ts'
import type { SmtpCredentials } from './authentication.ts'
import type { DiskRoom } from './disk-room.ts'
import type { Offer } from './extensions.ts'
import type { Holds } from './holds.ts'
import type { IncomingMailPorts } from './incoming-mail.ts'
import type { SmtpRejection } from './rejection.ts'

/** What the answers of an SMTP session need. */
export type DialoguePorts = IncomingMailPorts & {
  hostname: string
  credentials: SmtpCredentials | null
  allowedDomains: ReadonlySet<string> | null
  /** Without STARTTLS if there is no certificate. */
  offer: Offer
  diskRoom: DiskRoom
  /** `scripts` is null if no address has one. `transit` counts the mail for every address, with a script or without. */
  scenarios: { scripts: Scripts | null; holds: Holds; transit: Transit }
  /** `onAttempts` is null if attempts are not recorded. */
  events: {
    onRejection: (refusal: SmtpRejection) => void
    onAttempts: ((attempts: EndedAttempt[]) => void) | null
  }
}
