import type { Limits } from './limits.ts'

/** Counts the misbehaviour of a client in one session. Each method counts one event and says whether it exceeds the limit. */
export class Conduct {
  #limits: Limits
  #errors = 0
  #unknownCommands = 0
  #longLines = 0
  #transactions = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  isErrorTooMuch(): boolean {
    return ++this.#errors > this.#limits.errorsMax
  }

  isUnknownCommandTooMuch(): boolean {
    return ++this.#unknownCommands > this.#limits.unknownCommandsMax
  }

  isLongLineTooMuch(): boolean {
    return ++this.#longLines >= this.#limits.longCommandLinesMax
  }

  isTransactionTooMuch(): boolean {
    return ++this.#transactions > this.#limits.transactionsMax
  }

  /** A client that delivers mail may stay connected despite earlier errors. */
  forgiveErrors(): void {
    this.#errors = 0
  }
}
