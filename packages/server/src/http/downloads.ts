import type { ServerResponse } from 'node:http'
import { AppError } from '../domain/errors.ts'

/** Per key or user. Browsers and test runners open fewer connections to one server. */
export const DOWNLOADS_MAX = 20

export type Downloads = {
  /**
   * Counts the download until its response is sent or the connection closes. Throws 429 above the limit. `who` is the id
   * of a key, user or team.
   */
  begin(who: string, outgoing: ServerResponse | undefined): void
}

export function createDownloads(max = DOWNLOADS_MAX): Downloads {
  const counts = new Map<string, number>()
  return {
    begin(who, outgoing) {
      const count = counts.get(who) ?? 0
      if (count >= max) {
        throw new AppError(
          'rate_limited',
          `This key or user already has ${max} downloads in progress. Wait for one to finish.`,
          {
            headers: { 'retry-after': '1' },
          },
        )
      }
      // Internal calls have no connection and read everything at once.
      if (!outgoing || outgoing.closed) return
      counts.set(who, count + 1)
      outgoing.once('close', () => {
        const left = counts.get(who)! - 1
        if (left > 0) counts.set(who, left)
        else counts.delete(who)
      })
    },
  }
}
