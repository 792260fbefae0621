import type { SmtpAttempt } from '@mailhatch/sdk'
import { z } from 'zod'
import { parseRecipient } from '../../domain/address.ts'
import { listAttempts } from '../../read/attempts.ts'
import { presentAttempt } from '../present.ts'
import { teamView } from '../view.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

const ADDRESS_MAX = 512
const PAGE_MAX = 200

const input = z.object({
  to: z.string().max(ADDRESS_MAX).nullable().default(null),
  limit: z.number().int().min(1).max(PAGE_MAX),
})

export function attemptsRouter({ store, inbound, now }: RpcPorts) {
  return router({
    /** For exactly this address, or for all of the team. */
    list: procedure('members')
      .input(input)
      .query(async ({ ctx: { team }, input: { to, limit } }): Promise<SmtpAttempt[]> => {
        const recipient = to === null ? null : parseRecipient(to)
        if (to !== null && !recipient) return []
        // Without a tag, the address itself, and not all tags of the mailbox.
        const mailbox = recipient && { name: recipient.mailbox, tag: recipient.tag ?? '', domain: recipient.domain }
        const view = teamView(team, mailbox ? { mailbox } : {}, now())
        const { attempts } = await listAttempts({ ...inbound, store, now }, view, { limit, before: null, after: null })
        return attempts.map(presentAttempt)
      }),
  })
}
