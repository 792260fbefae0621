import { AppError } from '../domain/errors.ts'
import type { OwnMail } from '../http/local-worker.ts'
import { toComparableDomain } from '../worker/smtp/smtp-server.ts'
import type { Config } from './config.ts'

type Limits = Pick<Config, 'smtpAllowedDomains' | 'smtpMaxSizeBytes'>

/** The settings for SMTP, for mail that a client sends through another API. Throws why it is refused. */
export function admitSent({ smtpAllowedDomains, smtpMaxSizeBytes }: Limits, { recipients, content }: OwnMail): void {
  const allowed = smtpAllowedDomains && new Set(smtpAllowedDomains.map(toComparableDomain))
  const refused = recipients.find(({ domain }) => allowed !== null && !allowed.has(domain))
  if (refused) throw new AppError('validation_failed', `SMTP_ALLOWED_DOMAINS does not list ${refused.domain}.`)
  if (content.byteLength > smtpMaxSizeBytes) {
    throw new AppError('validation_failed', `The mail is larger than SMTP_MAX_SIZE, ${smtpMaxSizeBytes} bytes.`)
  }
}
