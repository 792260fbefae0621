/** The addresses of a mailbox: all of them, or those with one of the tags. */
export type AddressRange = { domain: string; mailbox: string; tags: string[] | null }

/** Which mail for these addresses does a worker have? `id` is that of the question. */
export type TransitQuestion = AddressRange & { id: string }

/** How much mail is in each stage before it is a message. A mail can be in two of them at once, but never in none. */
export type OnItsWay = {
  /** Recipients of open SMTP transactions, from RCPT on, and of mail that the program itself receives. */
  transactions: number
  /** Stored by a worker, and to be announced. */
  waiting: number
  /** Announced, and not confirmed by the API yet. */
  announcing: number
}

export type TransitAnswer = OnItsWay & {
  /** Announced again only by an operator, and therefore not on its way. */
  setAside: number
  /** False while the worker may have mail that it does not know, such as that of the run before. */
  isComplete: boolean
}

export type GivenAnswer = TransitAnswer & { id: string }

/** Answers questions, and those whose mail is no longer on its way a second time. */
export type TransitWatch = { answer(question: TransitQuestion): GivenAnswer; close(): void }

export const NOTHING_ON_ITS_WAY: OnItsWay = { transactions: 0, waiting: 0, announcing: 0 }

export function isNothing({ transactions, waiting, announcing }: OnItsWay): boolean {
  return transactions + waiting + announcing === 0
}

export const WORKER_ID = /^[\w-]{1,64}$/

/** A request header with the id of a worker that answers questions. */
export const WORKER_HEADER = 'x-mailhatch-worker'
