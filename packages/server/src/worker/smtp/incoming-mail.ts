import type { Log } from '../../observe/log.ts'
import type { MailContent } from '../../mime/mail-parser.ts'
import { HopCounter } from './hop-counter.ts'
import { LineMeter } from './line-meter.ts'
import type { Limits } from './limits.ts'
import { DATA_LINE_TOO_LONG, MAIL_TOO_BIG, NO_ROOM, NOT_STORED, TOO_MANY_HOPS } from './replies.ts'
import type { SpoolPorts } from './spool.ts'
import { Spool } from './spool.ts'

export type IncomingMailPorts = SpoolPorts & {
  sizeMaxBytes: number
  limits: Limits
  log: Pick<Log, 'warn'>
}

/** The content of one mail during its transfer. After a refusal it is still read but no longer stored. */
export class IncomingMail {
  readBytes = 0
  refusal: string | null = null
  /** Whether a script refused it, which is no error of the client. */
  isRefusedByScript = false
  #ports: IncomingMailPorts
  #spool: Spool
  #hops: HopCounter
  #lines: LineMeter | null
  #writing: Promise<void> | null = null

  constructor(ports: IncomingMailPorts, isBinary: boolean) {
    this.#ports = ports
    this.#spool = new Spool(ports)
    this.#hops = new HopCounter(ports.limits.headerBlockBytesMax)
    // A BINARYMIME body has no lines.
    this.#lines = isBinary ? null : new LineMeter(ports.limits.dataLineBytesMax)
  }

  /** A mail that is read to its end only to find the command after it. */
  static refused(ports: IncomingMailPorts, refusal: string): IncomingMail {
    const mail = new IncomingMail(ports, true)
    mail.refusal = refusal
    return mail
  }

  get isFarTooBig(): boolean {
    return this.readBytes > this.#ports.sizeMaxBytes * this.#ports.limits.oversizeFactorMax
  }

  /** Returns a promise while the mail is written to disk, and reading must wait for it. It never rejects. */
  write(chunk: Buffer): Promise<void> | null {
    this.readBytes += chunk.length
    if (this.refusal) return null
    this.#hops.read(chunk)
    if (this.readBytes > this.#ports.sizeMaxBytes) this.refusal = MAIL_TOO_BIG
    else if (this.#hops.count > this.#ports.limits.hopsMax) this.refusal = TOO_MANY_HOPS
    else if (this.#lines?.isTooLong(chunk)) this.refusal = DATA_LINE_TOO_LONG
    if (this.refusal) return this.remove()
    const writing = this.#spool.write(chunk)
    this.#writing = writing && writing.catch((error: unknown) => this.#fail(error))
    return this.#writing
  }

  finish(): MailContent | Promise<MailContent> {
    return this.#spool.finish()
  }

  async remove(): Promise<void> {
    await this.#writing
    await this.#spool.remove().catch((error: unknown) => {
      this.#ports.log.warn({ err: error }, 'removing a spool file failed')
    })
  }

  #fail(error: unknown): void {
    this.#ports.log.warn({ err: error }, 'writing a spool file failed')
    this.refusal = storageRefusal(error)
  }
}

/** The reply when a mail could not be stored. Both are temporary, so the client retries. */
export function storageRefusal(error: unknown): string {
  const isOutOfSpace =
    error instanceof Error &&
    (('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) ||
      ('outOfSpace' in error && error.outOfSpace === true))
  return isOutOfSpace ? NO_ROOM : NOT_STORED
}
