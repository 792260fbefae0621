import type { Announcement } from '@mailhatch/sdk'
import type { Log } from '../observe/log.ts'
import { announceMail, type AnnouncePorts } from './announce-stored.ts'
import type { Metadata } from './metadata.ts'

type Ports = Omit<AnnouncePorts, 'parse'> & { log: Pick<Log, 'warn' | 'error'> }

/** Announces a mail that has just been stored. Never rejects: the sweep retries what fails here. */
export async function announceOnce(
  { log, ...ports }: Ports,
  mail: { metadata: Metadata; announcement: Announcement },
): Promise<void> {
  const { id } = mail.metadata
  try {
    const result = await announceMail(ports, mail)
    if (result.outcome === 'processed') return
    const { lastStatus: status, lastError: reason } = result.metadata
    log.warn({ id, status, reason }, 'an announcement was refused')
    if (result.unrecorded) log.error({ err: result.unrecorded, id }, 'a failed announcement could not be recorded')
  } catch (error) {
    log.error({ err: error, id }, 'an announcement failed')
  }
}
