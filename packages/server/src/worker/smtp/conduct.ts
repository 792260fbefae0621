import type { Limits } from './limits.ts'

/** How a client has behaved in one session. Each question counts one more of its kind and tells whether it is too much. */
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

  /** A client that delivers mail is worth keeping, whatever went wrong before. */
  forgiveErrors(): void {
    this.#errors = 0
  }
}
