import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { ScenarioStage } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { vi } from 'vitest'
import type { Sight } from './step-table.ts'

const run = promisify(execFile)

export type SentMail = {
  smtpPort: number
  to: string
  bytes: number
  /** How long the sender waits for a reply. */
  patienceMs: number
}

export type Sender = {
  /** Sends one mail as an app does. Resolves to what the app, or the log of a queue, says about each attempt. */
  send: (mail: SentMail) => Promise<string[]>
  /** What it says of each attempt if the first one meets this. */
  says: (sight: Sight) => string[]
}

export const nodemailer: Sender = {
  async send({ smtpPort, to, bytes, patienceMs }) {
    const transport = createTransport({ host: '127.0.0.1', port: smtpPort, socketTimeout: patienceMs })
    try {
      await transport.sendMail({ from: 'app@shop.test', to, subject: 'Hello', text: textOf(bytes) })
      return ['sent']
    } catch (error) {
      const { code, responseCode } = error as { code: string; responseCode?: number }
      return [[code, responseCode].filter((part) => part !== undefined).join(' ')]
    }
  },
  says: once({
    refusal: ({ at, code }) => `${at === 'after-data' ? 'EMESSAGE' : 'EENVELOPE'} ${code}`,
    cut: 'ECONNECTION',
    silence: 'ETIMEDOUT',
  }),
}

/** Runs `send_mail.py` with Python's own library. */
export const smtplib: Sender = {
  send: byProgram('python3', `${import.meta.dirname}/send_mail.py`),
  says: once({
    refusal: ({ at, code }) => `${at === 'rcpt' ? 'SMTPRecipientsRefused' : 'SMTPDataError'} ${code}`,
    cut: 'SMTPServerDisconnected',
    silence: 'SMTPServerDisconnected',
  }),
}

/** What Angus Mail throws when the connection ends instead of a reply to RCPT, if its next write does not fail yet. */
const NO_REPLY = 'SMTPAddressFailedException -1'
const LOST = 'MessagingException < SocketException'

/** Runs `angus/` as built by `buildAngus`. */
export const angus = (classPath: string): Sender => ({
  async send(mail) {
    const seen = await byProgram('java', '-cp', classPath, 'SendMail')(mail)
    return seen.map((words) => (words === NO_REPLY ? LOST : words))
  },
  says: once({
    refusal: ({ at, code }) =>
      at === 'rcpt' ? `SendFailedException < SMTPAddressFailedException ${code}` : `SMTPSendFailedException ${code}`,
    cut: LOST,
    silence: 'MessagingException < SocketTimeoutException',
  }),
})

type Postfix = { smtpPort: number; log: () => string }

/** What its log calls the stages. A connection that is cut during a mail is noticed there or at its end. */
const STAGE_NAMES: Record<ScenarioStage, string> = { rcpt: 'RCPT TO', data: 'DATA', 'after-data': 'mail' }

/** Hands mail to a Postfix, and waits until it is no longer in its queue. Undelivered mail goes back to `from`. */
export const postfix = ({ smtpPort, log }: Postfix, from: string): Sender => ({
  async send({ to, bytes }) {
    const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
    const { response } = await transport.sendMail({ from, to, subject: 'Hello', text: textOf(bytes) })
    const id = /queued as (\w+)/.exec(response)![1]!
    await vi.waitUntil(() => log().includes(`${id}: removed\n`), { timeout: 120_000, interval: 200 })
    const attempts = log().matchAll(new RegExp(`${id}: to=.* dsn=([\\d.]+), status=(\\w+) \\((.*)\\)$`, 'gm'))
    return Array.from(attempts, ([, enhanced, status, reason]) => {
      const [, stage] = /(?:reply to|while sending) (RCPT TO|DATA|end of data|message body)/i.exec(reason!) ?? []
      const at = stage?.replace(/end of data|message body/i, STAGE_NAMES['after-data'])
      return [status, enhanced, at].filter(Boolean).join(' ')
    })
  },
  says(sight) {
    const sent = 'sent 2.0.0'
    if (sight.sees === 'acceptance') return [sent]
    const at = STAGE_NAMES[sight.at]
    if (sight.sees !== 'refusal') return [`deferred 4.4.2 ${at}`, sent]
    return sight.code >= 500 ? [`bounced ${sight.enhanced} ${at}`] : [`deferred ${sight.enhanced} ${at}`, sent]
  },
})

function textOf(bytes: number): string {
  return `${'x'.repeat(70)}\n`.repeat(Math.ceil(bytes / 71))
}

/** The program prints what it saw. */
function byProgram(program: string, ...words: string[]): Sender['send'] {
  return async ({ smtpPort, to, bytes, patienceMs }) => {
    const { stdout } = await run(program, [...words, String(smtpPort), to, String(bytes), String(patienceMs)])
    return [stdout]
  }
}

type Errors = { refusal: (refusal: Sight & { sees: 'refusal' }) => string; cut: string; silence: string }

/** For a sender that leaves trying again to the app. */
function once({ refusal, ...errors }: Errors): Sender['says'] {
  return (sight) => {
    if (sight.sees === 'acceptance') return ['sent']
    return [sight.sees === 'refusal' ? refusal(sight) : errors[sight.sees]]
  }
}
