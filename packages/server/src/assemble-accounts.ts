import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { createMailer, type Mailer } from './manage/mailer.ts'
import { createOidc, type Oidc } from './manage/oidc.ts'
import { createPasswords } from './manage/passwords.ts'
import { createSignInLimits } from './manage/try-limit.ts'

/** What accounts need beside the store. */
export function assembleAccounts(config: Config, log: Log, now: () => number) {
  return {
    passwords: createPasswords(),
    limits: createSignInLimits(now),
    signUp: config.signUp,
    oidc: openOidc(config, log),
    isBehindProxy: config.trustProxy === 'on',
  }
}

export function openMailer({ smtpRelayUrl, smtpRelayFrom }: Config, log: Log): Mailer | null {
  return smtpRelayUrl === null ? null : createMailer({ relayUrl: smtpRelayUrl, from: smtpRelayFrom, log })
}

function openOidc({ oidcIssuer, oidcClientId, oidcClientSecret, appUrl }: Config, log: Log): Oidc | null {
  if (oidcIssuer === null || oidcClientId === null) return null
  return createOidc({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    redirectUrl: `${appUrl}/auth/oidc/callback`,
    log,
  })
}
