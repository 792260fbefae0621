import { perSecond } from '../statistics.ts'
import { freshDigits, FRESH_DIGITS } from '../tasks/fresh-digits.ts'
import type { FirstMailsResult } from '../tasks/first-mails.ts'
import type { HttpLoadResult } from '../tasks/http-load.ts'
import { TaskProcess } from '../tasks/task-process.ts'
import type { Peer, RunningPeer } from './peer.ts'
import { RECIPIENT, RECIPIENTS, type Ingest } from './scenarios.ts'

/** Enough for the fastest program on a fast disk. */
const MAILS_MAX = 200_000
/** Of a filling that is limited by its number of mails. */
const FILLING_MS_MAX = 900_000
const POLLING_CONNECTIONS = 16

export type Sending = { durationMs?: number; mailsMax?: number; mailsPerSecond?: number }

/** One program, started fresh, and what sends and polls: processes of their own. */
export class Trial {
  readonly running: RunningPeer
  #mail = new TaskProcess('mail generator')
  #polls = new TaskProcess('poll generator')
  /** Messages that the program has. */
  #stored = 0

  /** Starts the program, and stops it after the work. */
  static async of(peer: Peer, folder: string, work: (trial: Trial) => Promise<void>): Promise<void> {
    const trial = new Trial(await peer.start(folder))
    try {
      await work(trial)
    } finally {
      await Promise.all([trial.running.stop(), trial.#mail.stop(), trial.#polls.stop()])
    }
  }

  private constructor(running: RunningPeer) {
    this.running = running
  }

  /** Sends until everything can be read. */
  async send({ mail, connections, reuse }: Ingest, limits: Sending): Promise<{ mails: number; perSecond: number }> {
    const startedAt = performance.now()
    const { acknowledged: mails } = await this.#mail.run('runSmtpLoad', {
      port: this.running.smtpPort,
      mail,
      connections,
      reuse,
      recipients: RECIPIENTS,
      durationMs: FILLING_MS_MAX,
      mailsMax: MAILS_MAX,
      ...limits,
    })
    this.#stored += mails
    await this.running.untilReadable(this.#stored)
    const elapsedMs = performance.now() - startedAt
    // Some programs have no count.
    await this.poll({ request: this.latestOf((mails - 1) % RECIPIENTS), connections: 1, durationMs: 0 })
    return { mails, perSecond: perSecond(mails, elapsedMs) }
  }

  /** Sends mails one at a time and polls for each, to new addresses from this number on, or to this one only. */
  async see(first: number, mails: number, isOneAddress: boolean): Promise<FirstMailsResult> {
    const { smtpPort, httpPort, latest } = this.running
    this.#stored += mails
    return this.#polls.run('measureFirstMails', {
      smtpPort,
      httpPort,
      request: latest(RECIPIENT),
      recipient: RECIPIENT,
      first,
      mails,
      isOneAddress,
    })
  }

  poll(load: {
    request: string
    durationMs: number
    freshBelow?: number
    connections?: number
  }): Promise<HttpLoadResult> {
    return this.#polls.run('runHttpLoad', { connections: POLLING_CONNECTIONS, ...load, port: this.running.httpPort })
  }

  /** The request for the newest mail of the address with this number, or of each in turn. */
  latestOf(number: number | 'each'): string {
    const { latest } = this.running
    return latest(number === 'each' ? RECIPIENT : RECIPIENT.replace(FRESH_DIGITS, freshDigits(number)))
  }
}
