import type { AcceptAnnouncement } from '../intake/accept-announcement.ts'
import { AppError } from '../domain/errors.ts'
import type { SetAsideNotice } from '../domain/set-aside.ts'
import type { Log } from '../observe/log.ts'
import type { Rejections } from '../manage/rejections.ts'
import { refusalFor } from './errors.ts'

/** Announces mail to the API in this process, with the same result as the route but without an HTTP request. */
export function postLocally(acceptAnnouncement: AcceptAnnouncement, log: Pick<Log, 'error'>) {
  return async (announcement: unknown): Promise<{ status: number; text: string }> => {
    try {
      await acceptAnnouncement(announcement)
      return { status: 200, text: '' }
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error }, 'an announcement failed')
      const { status, message, code } = refusalFor(error)
      return { status, text: JSON.stringify({ error: message, code }) }
    }
  }
}

/** Does the same for a mail that was set aside. */
export function reportLocally(recordRejection: Rejections['record']) {
  return async ({ from, to, reason }: SetAsideNotice): Promise<boolean> => {
    recordRejection({ from, to, code: 'set_aside', reason })
    return true
  }
}
