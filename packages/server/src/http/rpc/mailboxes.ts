import { z } from 'zod'
import { checkMailboxName } from '../../domain/mailbox-name.ts'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { chosenName, createMailbox, isNameFree, renameMailbox } from '../../manage/mailboxes.ts'
import { ensureStarterMailbox } from '../../manage/onboarding.ts'
import { removeMailbox } from '../../manage/removal.ts'
import { presentMailbox } from '../present.ts'
import { id } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

const mailboxName = z.string().transform(chosenName)
const mailboxId = id.refine(isUuid, 'must be an id')

/** Shared by two procedures. */
export function starterMailbox(ports: RpcPorts) {
  return procedure('owners')
    .input(z.object({ name: mailboxName.optional() }).default({}))
    .mutation(async ({ ctx: { team }, input }) =>
      presentMailbox(await ensureStarterMailbox(ports.mailboxes, team, input.name)),
    )
}

export function mailboxesRouter(ports: RpcPorts) {
  return router({
    list: procedure('members').query(async ({ ctx: { team } }) =>
      (await ports.store.listMailboxes(team.id)).map(presentMailbox),
    ),

    create: procedure('owners')
      .input(z.object({ name: mailboxName }))
      .mutation(async ({ ctx: { team }, input }) =>
        presentMailbox(await createMailbox(ports.mailboxes, team, input.name)),
      ),

    update: procedure('owners')
      .input(z.object({ id: mailboxId, name: mailboxName }))
      .mutation(async ({ ctx: { team }, input }) =>
        presentMailbox(await renameMailbox(ports.mailboxes, team.id, input.id, input.name)),
      ),

    remove: procedure('owners')
      .input(z.object({ id: mailboxId }))
      .mutation(async ({ ctx: { team }, input }) => {
        const isRemoved = await removeMailbox(ports.mailboxes, { teamId: team.id, id: input.id })
        if (!isRemoved) throw new AppError('not_found', 'Not found')
        return { id: input.id }
      }),

    /** For a form while the user types, so any text is valid input. */
    checkAvailability: procedure('members')
      .input(z.object({ name: z.string().max(1_000) }))
      .query(
        async ({ ctx: { team }, input }): Promise<{ name: string; isAvailable: boolean; reason: string | null }> => {
          const checked = checkMailboxName(input.name)
          if (!('name' in checked)) return { name: input.name, isAvailable: false, reason: checked.message }
          const { name } = checked
          const isAvailable = await isNameFree(ports.mailboxes, team, name)
          return { name, isAvailable, reason: isAvailable ? null : 'Mailbox name already taken for this domain.' }
        },
      ),

    ensureStarterMailbox: starterMailbox(ports),
  })
}
