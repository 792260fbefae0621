import { fold } from '../domain/fold.ts'
import { AppError } from '../domain/errors.ts'
import type { TokenPurpose, User } from '../store/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import { isCapturedHere } from './captured-addresses.ts'
import { createToken, linkWith } from './one-time-tokens.ts'
import type { Mail } from './mailer.ts'

type Ports = Pick<AccountPorts, 'store' | 'site' | 'mailer' | 'limits' | 'newSecret' | 'now' | 'log'>

const LIFE = 'The link works once, for 10 minutes. If you did not ask for it, ignore this mail.'

/** Sends asynchronously, so that the response time does not reveal whether there was anything to send. Logs failures. */
export function mailLink(ports: Ports, user: Pick<User, 'id' | 'email'>, purpose: Exclude<TokenPurpose, 'sign-in'>) {
  mailSoon(ports, user.email, async () => {
    const link = linkWith(await createToken(ports, user.id, purpose), purpose, ports.site.appUrl)
    return purpose === 'reset'
      ? { subject: 'Choose a new password', text: `Choose a new password for Mailhatch:\n\n${link}\n\n${LIFE}\n` }
      : {
          subject: 'Check your address',
          text: `Confirm your address and set a password:\n\n${link}\n\n${LIFE}\n`,
        }
  })
}

/** To the owner of an account whose address signs up again. The caller learns nothing about the account. */
export function mailAccountExists(ports: Ports, email: string): void {
  const text = `Someone, perhaps you, wanted to sign up with this address. It has an account already.

Sign in:  ${ports.site.appUrl}/sign-in
Or choose a new password there, if you have forgotten yours.
`
  mailSoon(ports, email, async () => ({ subject: 'You already have an account', text }))
}

function mailSoon(ports: Ports, to: string, write: () => Promise<Omit<Mail, 'to'>>): void {
  const { mailer, limits, log } = ports
  if (!mailer) return
  const send = async () => {
    if (await isCapturedHere(ports, to)) return
    limits.mail.begin(fold(to))
    const mail = await write()
    // The mailer has already logged the failure.
    await mailer.send({ to, ...mail }).catch(() => {})
  }
  send().catch((error: unknown) => {
    // A refusal means that the address has received too much mail. Send no more.
    if (!(error instanceof AppError)) log.error({ err: error }, 'preparing a mail failed')
  })
}
