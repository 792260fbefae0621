import type { MessageDetail, MessageSummary } from '@mailhatch/sdk'
import { tracked } from './trpc.ts'
import { z } from 'zod'
import { formatCursor } from '../../domain/cursor.ts'
import { AppError } from '../../domain/errors.ts'
import type { MessageFilter } from '../../domain/match.ts'
import { isUuid } from '../../domain/uuid.ts'
import { countMatching } from '../../read/count.ts'
import { readPage } from '../../read/page.ts'
import { removeMatching, removeMessages, ROWS_PER_REMOVAL } from '../../manage/removal.ts'
import type { SignedIn } from '../../store/accounts.ts'
import type { Team } from '../../store/mailboxes.ts'
import type { StoredMessage, View } from '../../store/messages.ts'
import { parseMailboxQuery } from '../mailbox-query.ts'
import { listQuery, readLastEventId, streamQuery, toListParams, toStreamParams } from '../message-params.ts'
import { parseQuery } from '../query.ts'
import { presentMessage, presentSummary } from '../present.ts'
import { teamView } from '../view.ts'
import { filterInput, followInput, id, listInput } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

/** As many as one transaction deletes. */
const REMOVED_MAX = ROWS_PER_REMOVAL

export function messagesRouter(ports: RpcPorts) {
  const { store, now } = ports

  function searchOf({ team, proceed }: { team: Team; proceed: () => void }, filter: MessageFilter): View {
    return { ...teamView(team, filter, now()), proceed }
  }

  async function findMessage(team: Team, messageId: string): Promise<StoredMessage> {
    const message = isUuid(messageId) ? await store.findMessage(teamView(team, {}, now()), messageId) : null
    if (!message) throw new AppError('message_not_found', 'Not found')
    return message
  }

  /** Parses filters as the REST API does. Without a team there is no lookup: the check of the role fails afterwards. */
  async function read<Query extends z.ZodObject>(
    { signedIn: { team } }: { signedIn: SignedIn },
    search: URLSearchParams,
    query: Query,
  ): Promise<z.output<Query>> {
    return team ? parseMailboxQuery(ports, { team, mailbox: null }, search, query) : parseQuery(query, search)
  }

  const readList = async (caller: { signedIn: SignedIn }, search: URLSearchParams) =>
    toListParams(await read(caller, search, listQuery))

  return router({
    list: procedure('members')
      .asked(listInput, readList)
      .query(async ({ ctx }): Promise<{ messages: MessageSummary[]; hasMore: boolean; cursor: string }> => {
        const { messages, hasMore, cursor } = await readPage(store, searchOf(ctx, ctx.asked.filter), ctx.asked)
        return { messages: messages.map(presentSummary), hasMore, cursor: formatCursor(cursor) }
      }),

    /** Stops after a few thousand matches of a filter and returns that as a minimum. */
    count: procedure('members')
      .asked(filterInput, readList)
      .query(({ ctx }) => countMatching(store, searchOf(ctx, ctx.asked.filter), ctx.asked.after)),

    get: procedure('members')
      .input(z.object({ id }))
      .query(async ({ ctx: { team }, input }): Promise<MessageDetail> =>
        presentMessage(await findMessage(team, input.id)),
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
      .mutation(async ({ ctx: { team, asked } }): Promise<{ deleted: number }> => ({
        deleted: await removeMatching(ports.messages, teamView(team, asked.filter, now()), asked.after),
      })),

    /** A path that shows the rendered mail or an attachment in a frame. It works once, within a minute. */
    view: procedure('members')
      .input(
        z.object({
          id,
          remoteImages: z.boolean().default(false),
          attachment: z.number().int().nullable().default(null),
        }),
      )
      .query(async ({ ctx: { team }, input: { remoteImages, attachment, ...input } }): Promise<{ path: string }> => {
        const { id: messageId } = await findMessage(team, input.id)
        return { path: `/view/${ports.views.make({ teamId: team.id, messageId, attachment, remoteImages })}` }
      }),

    /**
     * Starts at `lastEventId`, `after` or `since`, or else now. Sends each message once, with its cursor as event id.
     */
    follow: procedure('members')
      .asked(followInput, async (caller, { query, lastEventId }) =>
        toStreamParams(await read(caller, query, streamQuery), readLastEventId(lastEventId)),
      )
      .subscription(async function* ({ ctx, signal }) {
        const { user } = ctx.signedIn
        const teamNow = async () => (await ctx.readAgain())?.team ?? null
        const subscription = { ...ctx.asked, userId: user.id, team: teamNow, signal }
        for await (const message of ports.messages.subscriptions.follow(subscription)) {
          const shown: MessageSummary = presentSummary(message)
          yield tracked(shown.cursor, shown)
        }
      }),
  })
}
