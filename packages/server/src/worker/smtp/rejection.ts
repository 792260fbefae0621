import * as replies from './replies.ts'

/** A rejected mail, or a rejected attempt to send one. */
export type SmtpRejection = {
  at: number
  remoteAddress: string | null
  from: string | null
  to: string | null
  code: number
  reason: string
  /** The name of the reply, such as `mail_too_big`. */
  kind: string
}

/** The constants of replies.ts. */
const KINDS = new Map(Object.entries(replies).map(([name, reply]) => [reply, name.toLowerCase()]))

export type RejectedMail = { remoteAddress: string | null; from?: string | null; to?: string | null }

export function describeRejection(
  reply: string,
  { remoteAddress, from = null, to = null }: RejectedMail,
): SmtpRejection {
  return {
    at: Date.now(),
    remoteAddress,
    from,
    to,
    code: replies.replyCode(reply),
    reason: replies.replyText(reply),
    kind: KINDS.get(reply) ?? 'other',
  }
}
