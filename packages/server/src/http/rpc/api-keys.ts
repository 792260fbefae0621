import type { Scope } from '@mailhatch/sdk'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { createKey, KEY_NAME_MAX, removeTeamKey, rotateTeamKey } from '../../manage/keys.ts'
import type { ApiKey, Mailbox } from '../../store/mailboxes.ts'
import { isoTime, presentKey } from '../present.ts'
import { id } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

const SCOPES = ['api.full', 'email.full', 'email.mailbox'] as const satisfies Scope[]

const keyName = z
  .string()
  .transform((given) =>
    given
      .replaceAll(/\p{Cc}/gu, '')
      .toWellFormed()
      .trim(),
  )
  .pipe(z.string().min(1).max(KEY_NAME_MAX))

export function apiKeysRouter(ports: RpcPorts) {
  const { store, now } = ports

  async function findMailbox(teamId: string, mailboxId: string | undefined): Promise<Mailbox | null> {
    if (mailboxId === undefined) return null
    const mailbox = isUuid(mailboxId) ? await store.findTeamMailbox({ teamId, id: mailboxId }) : null
    if (!mailbox) throw new AppError('not_found', 'Not found')
    return mailbox
  }

  return router({
    list: procedure('members').query(async ({ ctx: { team } }) => {
      const [keys, members] = await Promise.all([store.listKeys(team.id), store.listMembers(team.id)])
      return keys.map((key) => {
        const creator = members.find((member) => member.id === key.createdBy)
        return {
          ...presentTeamKey(key),
          createdBy: creator ? { id: creator.id, name: creator.name, email: creator.email } : null,
        }
      })
    }),

    /** `key` is shown only once. */
    create: procedure('owners')
      .input(
        z.object({
          name: keyName,
          scope: z.enum(SCOPES).default('api.full'),
          mailboxId: id.optional(),
          expiresAt: z.iso.datetime({ offset: true }).nullish(),
        }),
      )
      .mutation(async ({ ctx: { team, signedIn }, input }) => {
        const expiresAt = input.expiresAt ? Date.parse(input.expiresAt) : null
        if (expiresAt !== null && expiresAt <= now()) {
          throw new AppError('validation_failed', 'expiresAt must be in the future.')
        }
        const mailbox = await findMailbox(team.id, input.mailboxId)
        const fields = { name: input.name, scope: input.scope, mailbox, expiresAt, createdBy: signedIn.user.id }
        const { key, record } = await createKey(ports.keys, team, fields)
        const mailboxName = mailbox?.name ?? null
        const created = { ...record, mailboxName, lastUsedAt: null, createdBy: signedIn.user.id }
        return { key, apiKey: presentTeamKey(created) }
      }),

    delete: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => {
        await removeTeamKey(ports.keys, { teamId: team.id, id: input.id })
        ports.keys.endKey(input.id)
        return { id: input.id }
      }),

    /** The old value stops working immediately. The new one is shown only once. */
    rotate: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => {
        const { key, apiKey } = await rotateTeamKey(ports.keys, { teamId: team.id, id: input.id })
        ports.keys.endKey(apiKey.id)
        return { key, apiKey: presentTeamKey(apiKey) }
      }),
  })
}

function presentTeamKey(key: ApiKey) {
  return {
    ...presentKey(key),
    mailboxId: key.mailboxId,
    createdAt: isoTime(key.createdAt),
    lastUsedAt: key.lastUsedAt === null ? null : isoTime(key.lastUsedAt),
  }
}
