import { parseRecipient, splitLocalPart } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { MetadataStatus, StoredMessage } from '../domain/object-keys.ts'
import { isUuid } from '../domain/uuid.ts'
import { requireSettings, type AdminSettings } from './admin-settings.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
/** A local part has 64 octets, and may grow when it is written in lower case. */
const NAME_CHARACTERS_MAX = 192
const GROWN_NAME = /^(?=.*[^ -~])[^\s@"\\\p{Cc}]+$/u
/** Any id that fits into a file name, however its characters are encoded. */
const ID = /^[!-~]{1,80}$/

const STATUS_OF = new Map<string, MetadataStatus>([
  ['unprocessed', 'unprocessed'],
  ['pending', 'unprocessed'],
  ['processed', 'processed'],
  ['archived', 'processed'],
])

/** Kept within its bounds, whatever is asked for; only what is no number is refused. */
export function readLimit(text: string | undefined): number {
  if (!text) return LIMIT_DEFAULT
  if (!/^-?\d+$/.test(text)) throw invalid('limit', 'must be a whole number')
  return Math.min(LIMIT_MAX, Math.max(1, Number(text)))
}

/** Null for both. */
export function readStatus(text: string | undefined): MetadataStatus | null {
  if (!text) return null
  const status = STATUS_OF.get(text.toLowerCase())
  if (!status) throw invalid('status', 'must be unprocessed or processed')
  return status
}

/** A label stands for a subdomain of EMAIL_DOMAIN; a name with a dot is whole, and may end with that dot. */
export function readDomain(settings: AdminSettings, text: string | undefined, field = 'domain'): string | null {
  if (!text) return null
  const isWhole = text.includes('.') || text.startsWith('[')
  const name = isWhole ? text.replace(/\.$/, '') : `${text}.${requireSettings(settings, ['emailDomain']).emailDomain}`
  const domain = parseRecipient(`a@${name}`)?.domain
  if (domain === undefined) throw invalid(field, 'must be a label or a domain name')
  return domain
}

/** The mailbox that a local part belongs to, with or without a tag. */
export function readMailbox(
  settings: AdminSettings,
  { localPart, domain: given }: { localPart: string; domain: string | undefined },
): { domain: string; mailbox: string } {
  const domain = readDomain(settings, given) ?? requireSettings(settings, ['emailDomain']).emailDomain.toLowerCase()
  const mailbox = storedName(localPart)
  if (mailbox === null) throw new AppError('mailbox_invalid', 'Invalid mailbox')
  return { domain, mailbox }
}

/** Any name that mail may have been stored under: some are no local part without the tag that they came with. */
function storedName(localPart: string): string | null {
  const found = parseRecipient(`${localPart}@a`) ?? parseRecipient(`${localPart}+a@a`)
  if (found) return found.mailbox
  const isGrown = GROWN_NAME.test(localPart) && localPart.length <= NAME_CHARACTERS_MAX
  return isGrown ? splitLocalPart(localPart).mailbox : null
}

export function readMessage(
  settings: AdminSettings,
  { id, ...mailbox }: { id: string; localPart: string; domain: string | undefined },
): StoredMessage {
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
