import { z } from 'zod'
import { parseCursor } from '../../domain/cursor.ts'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { markMatchingRead, ROWS_PER_MARK } from '../../manage/read-marks.ts'
import { countInbox, type InboxCounts } from '../../read/inbox-counts.ts'
import { teamView } from '../view.ts'
import { id, markAllInput } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'
import { readSearch } from './search-words.ts'

/** Which messages the team has read, and how many it has not. */
export function readMarksRouter(ports: RpcPorts) {
  const { store, now } = ports

  return router({
    counts: procedure('members').query(({ ctx: { team } }): Promise<InboxCounts> => countInbox({ store, now }, team)),

    /** Ids that do not exist are ignored. */
    set: procedure('members')
      .input(z.object({ ids: z.array(id).max(ROWS_PER_MARK), isRead: z.boolean() }))
      .mutation(async ({ ctx: { team }, input: { ids, isRead } }): Promise<{ changed: number }> => {
        const view = teamView(team, {}, now())
        const found = await Promise.all(ids.filter(isUuid).map((one) => store.findAnchor(view, one)))
        const positions = found.flatMap((anchor) => (anchor ? [anchor.position] : []))
        const read = new Set(positions.length > 0 ? await store.readAmong(team.id, positions) : [])
        const others = positions.filter((position) => read.has(position) !== isRead)
        // A message that is opened again needs no transaction.
        return { changed: others.length > 0 ? await store.markMessages(team.id, others, isRead) : 0 }
      }),

    /** Marks all matches as read, up to `upTo` if given. Without a filter, everything. */
    setAll: procedure('members')
      .asked(markAllInput, async (caller, { upTo, ...input }) => ({
        ...(await readSearch(ports, caller, input)),
        upTo: upTo === undefined ? null : readCursor(upTo),
      }))
      .mutation(async ({ ctx: { team, asked } }): Promise<{ unread: number }> => {
        const view = { ...teamView(team, asked.filter, now()), words: asked.words }
        await markMatchingRead(store, view, asked)
        return { unread: await store.countUnread(view) }
      }),
  })
}

function readCursor(text: string): number {
  const position = parseCursor(text)
  if (position !== null) return position
  throw new AppError('validation_failed', 'The input is not valid.', { details: { upTo: ['is not a cursor'] } })
}
