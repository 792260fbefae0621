import { setTimeout as sleep } from 'node:timers/promises'
import { mailOfSize } from '../../../../bench/tasks/mail.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { ConnectionLost } from '../support/smtp-replies.ts'

/** Enough that a mail seldom waits for a connection at 300 mails per second. */
const CONNECTIONS = 32
const MAIL_BYTES = 2_000
/** How late a mail may be because the sender looks for due ones only so often. */
const TICK_MS = 4
/** Before a mail is sent again that was not accepted. */
const RETRY_MS = 200

/**
 * `number` is the mail, `attempt` is higher than 1 after a lost connection: the mail may have been accepted or not. `dueAt` is
 * when the rate demands the mail, which is before its first byte if all connections are busy.
 */
export type Attempt = { number: number; attempt: number; dueAt: number }

export type SenderOptions = {
  smtpPort: number
  mailsPerSecond: number
  /** How long the rate takes to rise to `mailsPerSecond`. */
  riseSeconds?: number
  addressOf: (number: number) => string
  /** Called when the first byte is sent. */
  onSending: (attempt: Attempt) => void
  onAccepted: (attempt: Attempt) => void
}

export type SenderReport = {
  accepted: number
  /** Mails that were sent again, because the server was not there or asked for it. */
  retries: number
  /** Permanent refusals. */
  refused: string[]
  seconds: number
}

const TEMPLATE = mailOfSize({ sizeBytes: MAIL_BYTES, recipient: 'qa@shop.test' }).toString('latin1')

/** Sends mails at a fixed rate, after a steady rise, until stopped. Mails that find no free connection wait, and are late. */
export function startSender(options: SenderOptions) {
  const { smtpPort, mailsPerSecond, riseSeconds = 0, addressOf, onSending, onAccepted } = options
  const startedAt = performance.now()
  const report = { accepted: 0, retries: 0, refused: [] as string[] }
  let begun = 0
  let due = 0
  let isStopped = false
  let wake = Promise.withResolvers<void>()

  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1_000
    const sinceFull = seconds - riseSeconds / 2
    due = Math.floor(mailsPerSecond * (seconds < riseSeconds ? seconds ** 2 / (2 * riseSeconds) : sinceFull))
    wake.resolve()
    wake = Promise.withResolvers()
  }, TICK_MS)

  /** The reverse of what the timer computes. */
  function dueAt(number: number): number {
    const fullSeconds = (number + 1) / mailsPerSecond
    const seconds =
      fullSeconds < riseSeconds / 2 ? Math.sqrt(2 * riseSeconds * fullSeconds) : fullSeconds + riseSeconds / 2
    return startedAt + seconds * 1_000
  }

  async function lane(): Promise<void> {
    const connection = reconnecting(smtpPort)
    while (!isStopped) {
      if (begun < due) await sendUntilAccepted(connection, begun++)
      else await wake.promise
    }
    connection.close()
  }

  async function sendUntilAccepted(connection: Connection, number: number): Promise<void> {
    for (let attempt = 1; ;) {
      const sent = { number, attempt, dueAt: dueAt(number) }
      const reply = await connection.send(addressOf(number), contentOf(sent), () => onSending(sent))
      if (reply !== null && isAccepted(reply)) {
        report.accepted++
        return onAccepted(sent)
      }
      if (reply?.startsWith('5')) return void report.refused.push(reply)
      if (reply === null) attempt++
      report.retries++
      await sleep(RETRY_MS)
    }
  }

  const lanes = Array.from({ length: CONNECTIONS }, lane)
  return {
    begun: () => begun,
    /** Resolves when every mail that was begun is accepted. */
    async stop(): Promise<SenderReport> {
      isStopped = true
      wake.resolve()
      await Promise.all(lanes)
      clearInterval(timer)
      return { ...report, seconds: (performance.now() - startedAt) / 1_000 }
    },
  }
}

export const subjectOf = ({ number, attempt }: Pick<Attempt, 'number' | 'attempt'>): string =>
  `Mail ${number}, attempt ${attempt}`

function contentOf(attempt: Attempt): Buffer {
  return Buffer.from(TEMPLATE.replace(/^Subject: .*$/m, `Subject: ${subjectOf(attempt)}`), 'latin1')
}

/** Like the reply of a server that is not available. */
const NOT_CONNECTED = '421 not connected'

type Connection = ReturnType<typeof reconnecting>

/** One connection at a time, opened when it is needed. */
function reconnecting(port: number) {
  let client: SmtpClient | null = null
  return {
    /** The reply to the mail; null if the connection was lost before there was one. */
    async send(to: string, raw: Buffer, onSending: () => void): Promise<string | null> {
      try {
        client ??= await SmtpClient.connect(port)
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error
        return NOT_CONNECTED
      }
      try {
        onSending()
        const reply = await client.send({ to, raw })
        if (!isAccepted(reply)) this.close()
        return reply
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error
        this.close()
        return null
      }
    },
    close(): void {
      client?.close()
      client = null
    },
  }
}
