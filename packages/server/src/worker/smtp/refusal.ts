import { replyCode, replyText } from './replies.ts'

/** A mail, or an attempt at one, that was not taken. */
export type Refusal = {
  at: number
  remoteAddress: string | null
  from: string | null
  to: string | null
  code: number
  reason: string
}

export type RefusedMail = { remoteAddress: string | null; from?: string | null; to?: string | null }

export function describeRefusal(reply: string, { remoteAddress, from = null, to = null }: RefusedMail): Refusal {
  return { at: Date.now(), remoteAddress, from, to, code: replyCode(reply), reason: replyText(reply) }
}
