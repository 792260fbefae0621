import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into the program: what a client sent in plain text behind STARTTLS is executed before the handshake, and the
 * replies are in a packet of their own. For the test that has to notice.
 */
const EXECUTED = `
    this.#mode = TLS_HANDSHAKE
    if (!this.#lines.isEmpty) {
      this.#socket.pause()
      setTimeout(() => {
        for (let line = this.#lines.nextLine(); line !== null; line = this.#lines.nextLine())
          if (typeof line === 'string') this.#unsent += this.#dialogue.answerLine(line).reply ?? ''
        this.#lines.clear()
        this.#startTls('')
      }, 5)
      return
    }
`

rewriteModules({
  '/smtp/session.ts': [
    ['!this.#lines.isEmpty || !secureContext', '!secureContext'],
    ['    this.#mode = TLS_HANDSHAKE\n', EXECUTED],
  ],
})
