import type { MessageDetail, MessageSummary } from '@mailhatch/sdk'
import { z } from 'zod'
import { CAUGHT_DOMAINS_MAX, catchDomain, mayMoveIn, releaseDomain } from '../../manage/caught-domains.ts'
import { findOtherMail, listOtherMail, previewOtherMail, requireOthers } from '../other-mail.ts'
import type { MessagePreview } from '../../read/previews.ts'
import { isoTime, presentMessage, presentSummary } from '../present.ts'
import { id, previewsInput, viewInput } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

/** Every mail of a page is read and parsed, so pages are small. */
const PAGE_MAX = 100
const PAGE_DEFAULT = 50
/** The longest domain (RFC 5321). */
const DOMAIN_MAX = 255

const domain = z.string().trim().max(DOMAIN_MAX)

type OtherMailPage = { messages: (MessageSummary & { domain: string })[]; hasMore: boolean }

/** Mail for addresses that no team claims. Only the operator of the all-in-one program sees it. */
export function othersRouter(ports: RpcPorts) {
  return router({
    /** From memory, so that the dashboard can ask often. */
    summary: procedure('operator').query(() => requireOthers(ports).summary()),

    list: procedure('operator')
      .input(
        z
          .object({ before: id.nullish(), limit: z.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT) })
          .default({ limit: PAGE_DEFAULT }),
      )
      .query(async ({ input: { before = null, limit } }): Promise<OtherMailPage> => {
        const { messages, hasMore } = await listOtherMail(ports, { before, limit })
        return { messages: messages.map((row) => ({ ...presentSummary(row), domain: row.domain })), hasMore }
      }),

    get: procedure('operator')
      .input(z.object({ id }))
      .query(async ({ input }): Promise<MessageDetail> => presentMessage(await findOtherMail(ports, input.id))),

    /** As `inbox.messages.previews`. */
    previews: procedure('operator')
      .input(previewsInput)
      .query(({ input }): Promise<MessagePreview[]> => previewOtherMail(ports, input.ids)),

    /** As `inbox.messages.view`. */
    view: procedure('operator')
      .input(viewInput)
      .query(async ({ ctx: { team }, input: { remoteImages, attachment, ...input } }): Promise<{ path: string }> => {
        const { id: messageId } = await findOtherMail(ports, input.id)
        const view = { teamId: team.id, messageId, attachment, remoteImages, isUnclaimed: true }
        return { path: `/view/${ports.views.make(view)}` }
      }),
  })
}

/** Domains that no team has, whose mail the first team receives. */
export function caughtRouter(ports: RpcPorts) {
  const { store, now } = ports

  return router({
    list: procedure('operator').query(async ({ ctx: { team } }) => {
      const caught = await store.listCaughtDomains(team.id)
      return {
        domains: caught.map((one) => ({ domain: one.domain, caughtAt: isoTime(one.caughtAt) })),
        domainsMax: CAUGHT_DOMAINS_MAX,
      }
    }),

    /** Also moves in the mail that is there. If that takes long, `isDone` is false: the caller repeats the call. */
    add: procedure('operator')
      .input(z.object({ domain }))
      .mutation(async ({ ctx: { team }, input }) => {
        const others = requireOthers(ports)
        const caught = await catchDomain({ store, now }, team, input.domain)
        const { rootDomain } = ports.teams
        const moved = await others.moveIn(caught, (mail) => mayMoveIn({ store, rootDomain }, team, mail))
        return { domain: caught, ...moved }
      }),

    remove: procedure('operator')
      .input(z.object({ domain }))
      .mutation(async ({ ctx: { team }, input }) => ({
        domain: await releaseDomain({ store }, team, input.domain),
      })),
  })
}
