import type { ParsedMail } from '../mime/parse-mail.ts'
import type { Log } from '../observe/log.ts'
import { announceMail, type AnnouncePorts } from './announce-stored.ts'
import { announcementOf, type Metadata } from './metadata.ts'

type Ports = Omit<AnnouncePorts, 'parse'> & { log: Pick<Log, 'warn' | 'error'> }

/** Announces a mail that has just been stored. Never rejects: the sweep retries what fails here. */
export async function announceOnce(
  { log, ...ports }: Ports,
  { metadata, parsed }: { metadata: Metadata; parsed: ParsedMail },
): Promise<void> {
  const { id } = metadata
  try {
    const result = await announceMail(ports, { metadata, announcement: announcementOf(metadata, parsed) })
    if (result.outcome === 'processed') return
    const { lastStatus: status, lastError: reason } = result.metadata
    log.warn({ id, status, reason }, 'an announcement was refused')
    if (result.unrecorded) log.error({ err: result.unrecorded, id }, 'a failed announcement could not be recorded')
  } catch (error) {
    log.error({ err: error, id }, 'an announcement failed')
  }
}
