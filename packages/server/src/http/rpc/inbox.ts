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
import { isOperator } from '../../manage/operator.ts'
import type { UnroutedMailList } from '../local-worker.ts'
import { isoTime } from '../present.ts'
import { attemptsRouter } from './attempts.ts'
import { firstStepsRouter } from './first-steps.ts'
import { id } from './inputs.ts'
import { mailboxesRouter, starterMailbox } from './mailboxes.ts'
import { messagesRouter } from './messages.ts'
import { caughtRouter, othersRouter } from './others.ts'
import { readMarksRouter } from './read-marks.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'
import { waitsRouter } from './waits.ts'

const PAGE_MAX = 200
const PAGE_DEFAULT = 50

const limit = z.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT)

export type InboxSettings = {
  /** The team's own domain. Null if the team uses the root domain. */
  domain: string | null
  rootDomain: string
  proof: DomainProof
  /** A domain that is not verified yet. Mail to it is rejected until `verify` finds its record. */
  pending: { domain: string; record: ReturnType<typeof proofRecord> } | null
}

export function inboxRouter(ports: RpcPorts) {
  const { store } = ports
  const domain = z
    .string()
    .nullable()
    .transform((input) => chosenDomain(ports.teams, input))

  return router({
    settings: router({
      get: procedure('members').query(async ({ ctx: { team } }) => {
        return presentSettings(ports.teams, { domain: team.domain, pending: await store.findPendingDomain(team.id) })
      }),

      update: procedure('owners')
        .input(z.object({ domain }))
        .mutation(async ({ ctx: { team }, input }) =>
          presentSettings(ports.teams, await changeDomain(ports.teams, team, input.domain)),
        ),

      verify: procedure('owners').mutation(async ({ ctx: { team } }) =>
        presentSettings(ports.teams, await verifyDomain(ports.teams, team)),
      ),
    }),

    mailboxes: mailboxesRouter(ports),
    messages: messagesRouter(ports),
    readMarks: readMarksRouter(ports),
    ensureStarterMailbox: starterMailbox(ports),

    tags: router({
      /** The tags of the newest messages, most recently used first. */
      list: procedure('members').query(async ({ ctx: { team } }) => {
        const tags = await ports.teams.metrics.tags(team)
        return tags.map((tag) => ({ ...tag, lastReceivedAt: isoTime(tag.lastReceivedAt) }))
      }),
    }),

    rejections: router({
      /** Rejections for the team's own domain. The operator of the all-in-one program sees all. */
      list: procedure('members')
        .input(z.object({ limit }).default({ limit: PAGE_DEFAULT }))
        .query(async ({ ctx: { team, role }, input }): Promise<Rejection[]> => {
          const seesAll = await isOperator(ports.inbound, team, role)
          const found = await store.listRejections(seesAll ? null : team.id, { since: 0, limit: input.limit })
          return found.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest }))
        }),
    }),

    attempts: attemptsRouter(ports),
    unrouted: unroutedRouter(ports),
    others: othersRouter(ports),
    caught: caughtRouter(ports),
    waits: waitsRouter(ports),
    firstSteps: firstStepsRouter(ports),
  })
}

/** Mail that is stored but belongs to no team yet. */
function unroutedRouter({ inbound }: Pick<RpcPorts, 'inbound'>) {
  function requireUnrouted(): UnroutedMailList {
    if (!inbound.worker) throw new AppError('forbidden', 'Forbidden')
    return inbound.worker.unrouted
  }

  return router({
    list: procedure('operator')
      .input(
        z
          .object({ cursor: z.string().max(2_000).nullish(), limit, withoutOthers: z.boolean().default(false) })
          .default({ limit: PAGE_DEFAULT, withoutOthers: false }),
      )
      .query(({ input }) => requireUnrouted().list({ ...input, cursor: input.cursor ?? null })),

    retry: procedure('operator')
      .input(z.object({ id, domain: z.string().max(255), mailbox: z.string().max(255) }))
      .mutation(async ({ input }) => {
        await requireUnrouted().retry(input)
        return { id: input.id }
      }),
  })
}

function presentSettings(
  { rootDomain, domainProof }: RpcPorts['teams'],
  { domain, pending }: DomainState,
): InboxSettings {
  return {
    domain,
    rootDomain,
    proof: domainProof,
    pending: pending && { domain: pending.domain, record: proofRecord(pending) },
  }
}
