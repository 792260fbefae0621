import { HopCounter } from './hop-counter.ts'
import { LineMeter } from './line-meter.ts'
import type { Limits } from './limits.ts'
import { DATA_LINE_TOO_LONG, MAIL_TOO_BIG, NO_ROOM, NOT_STORED, TOO_MANY_HOPS } from './replies.ts'
import type { MailContent, SpoolPorts } from './spool.ts'
import { Spool } from './spool.ts'

export type IncomingMailPorts = SpoolPorts & {
  sizeMaxBytes: number
  limits: Limits
  log: { warn(details: object, message: string): void }
}

/** The content of one mail while it comes in. Once it is refused it is still read, but no longer kept. */
export class IncomingMail {
  readBytes = 0
  refusal: string | null = null
  #ports: IncomingMailPorts
  #spool: Spool
  #hops: HopCounter
  #lines: LineMeter | null
  #writing: Promise<void> | null = null

  constructor(ports: IncomingMailPorts, isBinary: boolean) {
    this.#ports = ports
    this.#spool = new Spool(ports)
    this.#hops = new HopCounter(ports.limits.headerBlockBytesMax)
    // A BINARYMIME body is not made of lines.
    this.#lines = isBinary ? null : new LineMeter(ports.limits.dataLineBytesMax)
  }

  /** A mail that is read to its end only to find what comes behind it. */
  static refused(ports: IncomingMailPorts, refusal: string): IncomingMail {
    const mail = new IncomingMail(ports, true)
    mail.refusal = refusal
    return mail
  }

  get isFarTooBig(): boolean {
    return this.readBytes > this.#ports.sizeMaxBytes * this.#ports.limits.oversizeFactorMax
  }

  /** A promise, which never rejects, while the mail goes to disk: the client has to wait for it. */
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
      this.#ports.log.warn({ err: error }, 'could not remove a spool file')
    })
  }

  #fail(error: unknown): void {
    this.#ports.log.warn({ err: error }, 'could not write a spool file')
    this.refusal = storageRefusal(error)
  }
}

/** What the client hears when its mail could not be kept: both answers make it try again later. */
export function storageRefusal(error: unknown): string {
  const isOutOfSpace =
    error instanceof Error &&
    (('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) ||
      ('outOfSpace' in error && error.outOfSpace === true))
  return isOutOfSpace ? NO_ROOM : NOT_STORED
}
