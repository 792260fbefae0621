import { replyCode, replyText } from './replies.ts'

/** A rejected mail, or a rejected attempt to send one. */
export type SmtpRejection = {
  at: number
  remoteAddress: string | null
  from: string | null
  to: string | null
  code: number
  reason: string
}

export type RejectedMail = { remoteAddress: string | null; from?: string | null; to?: string | null }

export function describeRejection(
  reply: string,
  { remoteAddress, from = null, to = null }: RejectedMail,
): SmtpRejection {
  return { at: Date.now(), remoteAddress, from, to, code: replyCode(reply), reason: replyText(reply) }
}
