import type { ServerResponse } from 'node:http'
import { AppError } from '../domain/errors.ts'

/** Of one key, or one person: more than browsers and test runners open to a server. */
export const DOWNLOADS_MAX = 20

export type Downloads = {
  /** Counts until the answer is sent or its connection gone; refuses one too many. `who` is a key, person or team. */
  begin(who: string, outgoing: ServerResponse | undefined): void
}

export function createDownloads(most = DOWNLOADS_MAX): Downloads {
  const counts = new Map<string, number>()
  return {
    begin(who, outgoing) {
      const count = counts.get(who) ?? 0
      if (count >= most) {
        throw new AppError(
          'rate_limited',
          `This key or user already has ${most} downloads in progress. Wait for one to finish.`,
          {
            headers: { 'retry-after': '1' },
          },
        )
      }
      // Our own code asks without a connection, and takes everything at once.
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
