import { parseRecipient, splitLocalPart } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { MetadataStatus, MessageLocation } from '../domain/object-keys.ts'
import { isUuid } from '../domain/uuid.ts'
import { requireSettings, type AdminSettings } from './admin-settings.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
/** A local part has at most 64 octets, and lower-casing can make it longer. */
const NAME_CHARACTERS_MAX = 192
const LOWERCASED_NAME = /^(?=.*[^ -~])[^\s@"\\\p{Cc}]+$/u
/** Any id that fits into a file name in every encoding. */
const ID = /^[!-~]{1,80}$/

const STATUS_OF = new Map<string, MetadataStatus>([
  ['unprocessed', 'unprocessed'],
  ['pending', 'unprocessed'],
  ['processed', 'processed'],
  ['archived', 'processed'],
])

/** Clamps a number to the allowed range. Refuses only what is not a number. */
export function readLimit(text: string | undefined): number {
  if (!text) return LIMIT_DEFAULT
  if (!/^-?\d+$/.test(text)) throw invalid('limit', 'must be a whole number')
  return Math.min(LIMIT_MAX, Math.max(1, Number(text)))
}

/** Null means both statuses. */
export function readStatus(text: string | undefined): MetadataStatus | null {
  if (!text) return null
  const status = STATUS_OF.get(text.toLowerCase())
  if (!status) throw invalid('status', 'must be unprocessed or processed')
  return status
}

/** A bare label is a subdomain of EMAIL_DOMAIN. A name with a dot is complete and may end with a dot. */
export function readDomain(settings: AdminSettings, text: string | undefined, field = 'domain'): string | null {
  if (!text) return null
  const isComplete = text.includes('.') || text.startsWith('[')
  const name = isComplete
    ? text.replace(/\.$/, '')
    : `${text}.${requireSettings(settings, ['emailDomain']).emailDomain}`
  const domain = parseRecipient(`a@${name}`)?.domain
  if (domain === undefined) throw invalid(field, 'must be a label or a domain name')
  return domain
}

/** The mailbox of a local part, which may have a tag. */
export function readMailbox(
  settings: AdminSettings,
  { localPart, domain: given }: { localPart: string; domain: string | undefined },
): { domain: string; mailbox: string } {
  const domain = readDomain(settings, given) ?? requireSettings(settings, ['emailDomain']).emailDomain.toLowerCase()
  const mailbox = storedName(localPart)
  if (mailbox === null) throw new AppError('mailbox_invalid', 'Invalid mailbox')
  return { domain, mailbox }
}

/** Accepts every name that mail may be stored under. Some are valid local parts only together with a tag. */
function storedName(localPart: string): string | null {
  const found = parseRecipient(`${localPart}@a`) ?? parseRecipient(`${localPart}+a@a`)
  if (found) return found.mailbox
  const isLowercased = LOWERCASED_NAME.test(localPart) && localPart.length <= NAME_CHARACTERS_MAX
  return isLowercased ? splitLocalPart(localPart).mailbox : null
}

export function readMessage(
  settings: AdminSettings,
  { id, ...mailbox }: { id: string; localPart: string; domain: string | undefined },
): MessageLocation {
  const { domain, mailbox: name } = readMailbox(settings, mailbox)
  if (!ID.test(id)) throw messageNotFound()
  return { domain, mailbox: name, id: isUuid(id) ? id.toLowerCase() : id }
}

export function messageNotFound(): AppError {
  return new AppError('message_not_found', 'Message not found')
}

export function invalid(field: string, problem: string): AppError {
  return new AppError('validation_failed', `Not valid: ${field} ${problem}.`, { details: { [field]: [problem] } })
}
