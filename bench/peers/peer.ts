import type { SmtpTarget } from '../references/smtp-target.ts'

/** A program that catches mail for tests, started with an empty store. */
export type RunningPeer = SmtpTarget & {
  pid: number
  httpPort: number
  /** From the start of the process to its first HTTP response. */
  startMs: number
  /** Null if it keeps mail in memory only. */
  dataFolder: string | null
  /** The request for the newest mail of an address, in the best way that the program has. */
  latest: (address: string) => string
  /** The request for the mails with a word; null if it has no search. */
  search: ((word: string) => string) | null
  /** Resolves when so many messages can be read. At once if the program accepts only what can be read already. */
  untilReadable: (count: number) => Promise<void>
}

/** A program that can be started any number of times. */
export type Peer = { name: string; start: (folder: string) => Promise<RunningPeer> }
