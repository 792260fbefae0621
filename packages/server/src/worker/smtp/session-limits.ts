import type { Limits } from './limits.ts'

/** Counts the misbehaviour of a client in one session. Each method counts one event and says whether it exceeds the limit. */
export class SessionLimits {
  #limits: Limits
  #errors = 0
  #unknownCommands = 0
  #longLines = 0
  #transactions = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  tooManyErrors(): boolean {
    return ++this.#errors > this.#limits.errorsMax
  }

  tooManyUnknownCommands(): boolean {
    return ++this.#unknownCommands > this.#limits.unknownCommandsMax
  }

  tooManyLongLines(): boolean {
    return ++this.#longLines >= this.#limits.longCommandLinesMax
  }

  tooManyTransactions(): boolean {
    return ++this.#transactions > this.#limits.transactionsMax
  }

  /** A client that delivers mail may stay connected despite earlier errors. */
  resetErrors(): void {
    this.#errors = 0
  }
}
