import type { MessageDetail, MessageSummary } from '@mailhatch/sdk'
import { tracked } from './trpc.ts'
import { z } from 'zod'
import { formatCursor } from '../../domain/cursor.ts'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { countMatching } from '../../read/count.ts'
import { formatMarkState, parseMarkState, type MarkChanges } from '../../read/mark-changes.ts'
import { readPage } from '../../read/page.ts'
import { readPreviews, type MessagePreview } from '../../read/previews.ts'
import { removeMatching, removeMessages, ROWS_PER_REMOVAL } from '../../manage/removal.ts'
import type { SignedIn } from '../../store/accounts.ts'
import type { Team } from '../../store/mailboxes.ts'
import type { StoredMessage, View } from '../../store/messages.ts'
import type { ChangedMark } from '../../store/read-marks.ts'
import { readLastEventId, streamQuery, toStreamParams } from '../message-params.ts'
import { presentMessage, presentSummary } from '../present.ts'
import { teamView } from '../view.ts'
import { filterInput, followInput, id, listInput, previewsInput, viewInput, type SearchInput } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'
import { readQuery } from './read-query.ts'
import { addWords, readSearch, type Search } from './search-words.ts'

/** As many as one transaction deletes. */
const REMOVED_MAX = ROWS_PER_REMOVAL

/** A message of a list. REST has no read marks: tests that read mail do not read it for people. */
export type ListedMessage = MessageSummary & { isRead: boolean }

type ListedMessages = {
  messages: ListedMessage[]
  hasMore: boolean
  cursor: string
  /** Pass it to `follow`, for changes of marks from then on. */
  marks: string
}

export type PresentedMarks = {
  marks: string
  /** Messages up to this cursor are read, except those in `changed`. */
  readThrough: string | null
  changed: ChangedMark[]
  /** So many have changed that the list must be read again. */
  isCut: boolean
}

export function messagesRouter(ports: RpcPorts) {
  const { store, now } = ports

  function searchOf({ team, proceed }: { team: Team; proceed: () => void }, { filter, words }: Search): View {
    return { ...teamView(team, filter, now()), words, proceed }
  }

  async function findMessage(team: Team, messageId: string): Promise<StoredMessage> {
    const message = isUuid(messageId) ? await store.findMessage(teamView(team, {}, now()), messageId) : null
    if (message) return message
    const isRemoved = isUuid(messageId) && (await store.hasSeen({ teamId: team.id, id: messageId }))
    throw isRemoved
      ? new AppError('message_deleted', 'This message was deleted.')
      : new AppError('message_not_found', 'Not found')
  }

  const readList = (caller: { signedIn: SignedIn }, input: SearchInput) => readSearch(ports, caller, input)

  return router({
    list: procedure('members')
      .asked(listInput, readList)
      .query(async ({ ctx }): Promise<ListedMessages> => {
        // Read before the page: a change in between is sent again rather than never.
        const marks = await store.markState(ctx.team.id)
        const { messages, hasMore, cursor } = await readPage(store, searchOf(ctx, ctx.asked), ctx.asked)
        const positions = messages.map(({ position }) => position)
        const read = new Set(positions.length > 0 ? await store.readAmong(ctx.team.id, positions) : [])
        return {
          messages: messages.map((row) => ({ ...presentSummary(row), isRead: read.has(row.position) })),
          hasMore,
          cursor: formatCursor(cursor),
          marks: formatMarkState(marks),
        }
      }),

    /** Stops after a few thousand matches of a filter and returns that as a minimum. */
    count: procedure('members')
      .asked(filterInput, readList)
      .query(({ ctx }) => countMatching(store, searchOf(ctx, ctx.asked), ctx.asked.after)),

    get: procedure('members')
      .input(z.object({ id }))
      .query(async ({ ctx: { team }, input }): Promise<MessageDetail> =>
        presentMessage(await findMessage(team, input.id)),
      ),

    /** Ids that do not exist are ignored. */
    previews: procedure('members')
      .input(previewsInput)
      .query(({ ctx: { team }, input }): Promise<MessagePreview[]> =>
        readPreviews(store, teamView(team, {}, now()), input.ids.filter(isUuid)),
      ),

    remove: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => {
        const { position } = await findMessage(team, input.id)
        await removeMessages(ports.messages, team.id, [position])
        return { id: input.id }
      }),

    /** Ids that do not exist are ignored. */
    removeMany: procedure('owners')
      .input(z.object({ ids: z.array(id).max(REMOVED_MAX) }))
      .mutation(async ({ ctx: { team }, input }): Promise<{ deleted: number }> => {
        const view = teamView(team, {}, now())
        const found = await Promise.all(input.ids.filter(isUuid).map((one) => store.findMessage(view, one)))
        const positions = found.flatMap((message) => (message ? [message.position] : []))
        return { deleted: positions.length > 0 ? await removeMessages(ports.messages, team.id, positions) : 0 }
      }),

    /** Deletes all matches. Without a filter, deletes everything. */
    removeAll: procedure('owners')
      .asked(filterInput, readList)
      .mutation(async ({ ctx: { team, asked } }): Promise<{ deleted: number }> => {
        const view = { ...teamView(team, asked.filter, now()), words: asked.words }
        return { deleted: await removeMatching(ports.messages, view, asked.after) }
      }),

    /** A path that shows the rendered mail or an attachment in a frame. It works once, within a minute. */
    view: procedure('members')
      .input(viewInput)
      .query(async ({ ctx: { team }, input: { remoteImages, attachment, ...input } }): Promise<{ path: string }> => {
        const { id: messageId } = await findMessage(team, input.id)
        const view = { teamId: team.id, messageId, attachment, remoteImages, isUnclaimed: false }
        return { path: `/view/${ports.views.make(view)}` }
      }),

    /**
     * Starts at `lastEventId`, `after` or `since`, or else now. Sends each message once, with its cursor as event id.
     * With `marks` of a list, also sends changes of read marks since then, without an event id.
     */
    follow: procedure('members')
      .asked(followInput, async (caller, { lastEventId, marks, ...input }) => {
        const query = await readQuery(ports, caller, input.query, streamQuery)
        const params = toStreamParams(query, readLastEventId(lastEventId))
        return {
          ...params,
          ...(await addWords(ports, caller, { ...input, filter: params.filter })),
          marks: marks === undefined ? null : parseMarkState(marks),
        }
      })
      .subscription(async function* ({ ctx, signal }) {
        const { user } = ctx.signedIn
        const teamNow = async () => (await ctx.readAgain())?.team ?? null
        const subscription = { ...ctx.asked, userId: user.id, team: teamNow, signal }
        for await (const followed of ports.messages.subscriptions.follow(subscription)) {
          if ('marks' in followed) yield presentMarks(followed.marks)
          else {
            const shown: ListedMessage = { ...presentSummary(followed.message), isRead: followed.isRead }
            yield tracked(shown.cursor, shown)
          }
        }
      }),
  })
}

function presentMarks({ state, readThrough, changed, isCut }: MarkChanges): PresentedMarks {
  return {
    marks: formatMarkState(state),
    readThrough: readThrough === null ? null : formatCursor(readThrough),
    changed,
    isCut,
  }
}
