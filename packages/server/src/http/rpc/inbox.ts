import type { Rejection } from '@mailhatch/sdk'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import {
  changeDomain,
  chosenDomain,
  proofRecord,
  verifyDomain,
  type DomainProof,
  type DomainState,
} from '../../manage/custom-domain.ts'
import type { Team } from '../../store/store.ts'
import { isoTime } from '../present.ts'
import { firstStepsRouter } from './first-steps.ts'
import { id } from './inputs.ts'
import { mailboxesRouter, starterMailbox } from './mailboxes.ts'
import { messagesRouter } from './messages.ts'
import type { RpcPorts, UnroutedMails } from './ports.ts'
import { asMember, asOwner, procedure, router } from './procedures.ts'
import { seesUnrouted } from './team.ts'
import { waitsRouter } from './waits.ts'

const PAGE_MAX = 200
const PAGE_DEFAULT = 50

const limit = z.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT)

export type InboxSettings = {
  /** The team's own; null for the shared root. */
  domain: string | null
  rootDomain: string
  proof: DomainProof
  /** A domain that waits for its record; mail to it is refused until `verify` has found that. */
  pending: { domain: string; record: ReturnType<typeof proofRecord> } | null
}

export function inboxRouter(ports: RpcPorts) {
  const { store } = ports
  const domain = z
    .string()
    .nullable()
    .transform((wish) => chosenDomain(ports, wish))

  return router({
    settings: router({
      get: procedure.use(asMember).query(async ({ ctx: { team } }) => {
        return presentSettings(ports, { domain: team.domain, pending: await store.findPendingDomain(team.id) })
      }),

      update: procedure
        .input(z.object({ domain }))
        .use(asOwner)
        .mutation(async ({ ctx: { team }, input }) =>
          presentSettings(ports, await changeDomain(ports, team, input.domain)),
        ),

      verify: procedure
        .use(asOwner)
        .mutation(async ({ ctx: { team } }) => presentSettings(ports, await verifyDomain(ports, team))),
    }),

    mailboxes: mailboxesRouter(ports),
    messages: messagesRouter(ports),
    ensureStarterMailbox: starterMailbox(ports),

    tags: router({
      /** Of the newest messages, the last used first. */
      list: procedure.use(asMember).query(async ({ ctx: { team } }) => {
        const tags = await ports.metrics.tags(team)
        return tags.map((tag) => ({ ...tag, lastReceivedAt: isoTime(tag.lastReceivedAt) }))
      }),
    }),

    rejections: router({
      /** Of the team's own domain; the operator of the all-in-one program sees all. */
      list: procedure
        .input(z.object({ limit }).default({ limit: PAGE_DEFAULT }))
        .use(asMember)
        .query(async ({ ctx: { team, role }, input }): Promise<Rejection[]> => {
          const seesAll = await seesUnrouted(ports, team, role)
          const found = await store.listRejections(seesAll ? null : team.id, { since: 0, limit: input.limit })
          return found.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest }))
        }),
    }),

    unrouted: unroutedRouter(ports),
    waits: waitsRouter(ports),
    firstSteps: firstStepsRouter(ports),
  })
}

/** Mail that is stored but belongs to nobody yet: for the operator of the all-in-one program. */
function unroutedRouter(ports: RpcPorts) {
  async function requireUnrouted(team: Team): Promise<UnroutedMails> {
    const unrouted = ports.unrouted()
    if (unrouted && (await seesUnrouted(ports, team, 'owner'))) return unrouted
    throw new AppError('forbidden', 'Forbidden')
  }

  return router({
    list: procedure
      .input(z.object({ cursor: z.string().max(2_000).nullish(), limit }).default({ limit: PAGE_DEFAULT }))
      .use(asOwner)
      .query(async ({ ctx: { team }, input }) => {
        const unrouted = await requireUnrouted(team)
        return unrouted.list({ cursor: input.cursor ?? null, limit: input.limit })
      }),

    retry: procedure
      .input(z.object({ id, domain: z.string().max(255), mailbox: z.string().max(255) }))
      .use(asOwner)
      .mutation(async ({ ctx: { team }, input }) => {
        const unrouted = await requireUnrouted(team)
        await unrouted.retry(input)
        return { id: input.id }
      }),
  })
}

function presentSettings({ rootDomain, domainProof }: RpcPorts, { domain, pending }: DomainState): InboxSettings {
  return {
    domain,
    rootDomain,
    proof: domainProof,
    pending: pending && { domain: pending.domain, record: proofRecord(pending) },
  }
}
