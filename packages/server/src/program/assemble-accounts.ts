import type { Config } from './config.ts'
import type { SignInPorts } from '../http/ports.ts'
import type { Log } from '../observe/log.ts'
import type { Mailer } from '../manage/mailer.ts'
import type { Oidc } from '../manage/oidc.ts'
import { createPasswords } from '../manage/passwords.ts'
import { createSignInLimits } from '../manage/attempt-limit.ts'
import { newId, newSecret } from '../random.ts'

type Parts = Pick<SignInPorts, 'store' | 'site' | 'mailer' | 'endKey' | 'now'>

/** OIDC and the mailer are imported on demand, because they take megabytes of memory. */
export async function assembleAccounts(config: Config, log: Log, parts: Parts): Promise<SignInPorts> {
  return {
    ...parts,
    passwords: createPasswords(),
    limits: createSignInLimits(parts.now),
    signUp: config.signUp,
    oidc: await openOidc(config, log),
    newId,
    newSecret,
    log,
  }
}

export async function openMailer({ smtpRelayUrl, smtpRelayFrom }: Config, log: Log): Promise<Mailer | null> {
  if (smtpRelayUrl === null) return null
  const { createMailer } = await import('../manage/mailer.ts')
  return createMailer({ relayUrl: smtpRelayUrl, from: smtpRelayFrom, log })
}

async function openOidc(
  { oidcIssuer, oidcClientId, oidcClientSecret, appUrl }: Config,
  log: Log,
): Promise<Oidc | null> {
  if (oidcIssuer === null || oidcClientId === null) return null
  const { createOidc } = await import('../manage/oidc.ts')
  return createOidc({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    redirectUrl: `${appUrl}/auth/oidc/callback`,
    log,
  })
}
