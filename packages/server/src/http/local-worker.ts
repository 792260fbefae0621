import type { Recipient } from '../domain/address.ts'

/** What the API uses of a worker in the same process. */
export type LocalWorker = {
  unrouted: UnroutedMailList
  /** Receives the sample mail of the dashboard like external mail. */
  receiveMail: (mail: SampleMail) => Promise<void>
  /** Where apps send their mail. Null if unknown. */
  smtp: SmtpAddress | null
}

export type SmtpAddress = { host: string; port: number }

export type SampleMail = { from: string; recipient: Recipient; content: Uint8Array }

/** Mail that belongs to no team: stored by the worker, refused by the API. */
export type UnroutedMail = {
  id: string
  domain: string
  mailbox: string
  from: string
  to: string
  subject: string
  receivedAt: string
  attempts: number
  lastError: string | null
  /** Why the mail was set aside. Null if it was not. */
  setAside: string | null
}

export type UnroutedMailList = {
  list(page: { cursor: string | null; limit: number }): Promise<{ mails: UnroutedMail[]; cursor: string | null }>
  /** Throws if the API does not accept the mail. */
  retry(mail: Pick<UnroutedMail, 'id' | 'domain' | 'mailbox'>): Promise<void>
}
