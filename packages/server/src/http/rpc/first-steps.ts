import { parseRecipient } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { randomText } from '../../domain/random-text.ts'
import { findFirstMailbox } from '../../manage/onboarding.ts'
import { sampleMail, SAMPLE_SENDER } from '../../manage/sample-mail.ts'
import type { Team } from '../../store/mailboxes.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

const TAG = { alphabet: 'abcdefghijkmnpqrstuvwxyz23456789', length: 6 }
/** For a team domain, where every name is a mailbox and none exists yet. */
const MAILBOX_DEFAULT = 'hello'

export type FirstSteps = {
  /** Where apps send their mail. Null if unknown. */
  smtp: { host: string; port: number } | null
  /** An unused address. Null if the team is on the root domain and has no mailbox yet. */
  address: string | null
  canSendSample: boolean
}

/** What the dashboard shows to a team without messages. */
export function firstStepsRouter(ports: RpcPorts) {
  async function newAddress(team: Team): Promise<string | null> {
    const mailbox = (await findFirstMailbox(ports, team))?.name ?? (team.domain === null ? null : MAILBOX_DEFAULT)
    return mailbox && `${mailbox}+${randomText(TAG, ports.mailboxes.random)}@${team.domain ?? ports.site.rootDomain}`
  }

  return router({
    get: procedure('members').query(async ({ ctx: { team } }): Promise<FirstSteps> => {
      const address = await newAddress(team)
      const { worker } = ports.inbound
      return { smtp: worker?.smtp ?? null, address, canSendSample: address !== null && worker !== null }
    }),

    /** The sample takes the same path as external mail. */
    sendSample: procedure('members').mutation(async ({ ctx: { team } }): Promise<{ to: string }> => {
      const { worker } = ports.inbound
      const to = await newAddress(team)
      const recipient = to === null ? null : parseRecipient(to)
      if (!worker || !recipient)
        throw new AppError('forbidden', 'This server cannot send a sample, because the worker runs in another process.')
      const content = sampleMail({ to: recipient.address, at: ports.now() }, ports.mailboxes.random)
      await worker.receiveMail({ from: SAMPLE_SENDER, recipients: [recipient], content, receivedVia: 'sample' })
      return { to: recipient.address }
    }),
  })
}
