import type { Recipient } from '../domain/address.ts'
import { AddressCounts } from './address-counts.ts'

/** Mail that is being received, from RCPT until its transaction ends. By then it is stored, and known to the announcer. */
export class Transit {
  readonly counts = new AddressCounts()

  begin(): Flight {
    return new Flight(this.counts)
  }
}

/** One transaction and its recipients. */
export class Flight {
  #counts: AddressCounts
  #recipients: Recipient[] = []
  #hasEnded = false

  constructor(counts: AddressCounts) {
    this.#counts = counts
  }

  add(recipient: Recipient): void {
    if (this.#hasEnded) return
    this.#recipients.push(recipient)
    this.#counts.add(recipient, 1)
  }

  /** A recipient that was refused. */
  remove(recipient: Recipient): void {
    const index = this.#recipients.indexOf(recipient)
    if (index === -1) return
    this.#recipients.splice(index, 1)
    this.#counts.add(recipient, -1)
  }

  end(): void {
    this.#hasEnded = true
    for (const recipient of this.#recipients) this.#counts.add(recipient, -1)
    this.#recipients = []
  }
}
