import { createReplyReader } from './reply-reader.ts'
import { writeFresh } from './fresh-digits.ts'
import { EHLO, mailCommands, QUIT, type MailOptions } from './mail.ts'
import { openSocket } from './socket.ts'

export type SmtpLoadOptions = {
  port: number
  mail: MailOptions
  connections: number
  /** False: a new connection for every mail. */
  reuse: boolean
  /** No new mail starts after this time, or after `mailsMax`. */
  durationMs: number
  mailsMax: number
  /** By default as fast as the server accepts it. */
  mailsPerSecond?: number
  /** So many recipients in turn: FRESH_DIGITS in the mail are replaced by a number below this. By default there is one. */
  recipients?: number
}

/** `elapsedMs` is from the first connection to the last acknowledgement. */
export type SmtpLoadResult = { acknowledged: number; elapsedMs: number }

/** Sends mail, one command at a time per connection, and counts the 250 replies. */
export async function runSmtpLoad(options: SmtpLoadOptions): Promise<SmtpLoadResult> {
  const startedAt = performance.now()
  const until = startedAt + options.durationMs
  const run = { begun: 0, acknowledged: 0, lastAt: startedAt }
  const pauseMs = options.mailsPerSecond === undefined ? 0 : 1_000 / options.mailsPerSecond

  function mayBegin(): boolean {
    return run.begun < options.mailsMax && performance.now() < until
  }

  async function keepSending(): Promise<void> {
    // Of each connection, because a command that is being sent must not change.
    const { from, recipient, data, content } = mailCommands(options.mail)
    const steps = [from, recipient, data, content]
    while (mayBegin()) await sendOnConnection(steps)
  }

  function sendOnConnection(steps: Buffer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      // -2: waiting for the greeting, -1: for the reply to EHLO, then for that of each step, and finally for that of QUIT.
      let step = -2
      let refusal: Error | null = null
      const read = createReplyReader((code) => {
        if (code >= 400) {
          refusal = new Error(`The server replied ${code} at step ${step}.`)
          socket.destroy()
          return
        }
        step++
        if (step === -1) return void socket.write(EHLO)
        if (step > steps.length) return
        if (step === steps.length) {
          run.acknowledged++
          run.lastAt = performance.now()
          if (!options.reuse || !mayBegin()) return void socket.write(QUIT)
          step = 0
        }
        if (step > 0) return void socket.write(steps[step]!)
        if (options.recipients !== undefined) writeFresh(steps, run.begun % options.recipients)
        const dueInMs = startedAt + run.begun * pauseMs - performance.now()
        run.begun++
        if (dueInMs > 0) setTimeout(() => void socket.write(steps[0]!), dueInMs)
        else socket.write(steps[0]!)
      })
      const socket = openSocket(options.port, {
        onBytes: (chunk) => read(chunk, chunk.length),
        onClose: (error) => {
          const failure =
            refusal ?? error ?? (step < steps.length ? new Error('The server closed the connection.') : null)
          if (failure) reject(failure)
          else resolve()
        },
      })
    })
  }

  await Promise.all(Array.from({ length: options.connections }, keepSending))
  return { acknowledged: run.acknowledged, elapsedMs: run.lastAt - startedAt }
}
