import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMegabytes } from '../programs.ts'
import { createAnswerReader } from './answer-reader.ts'
import { getRequest, HttpClient } from './http-client.ts'
import { mailCommands } from './mail.ts'
import { SmtpClient } from './smtp-client.ts'
import { openSocket } from './socket.ts'

export type WaitersOptions = {
  smtpPort: number
  apiPort: number
  apiKey: string
  /** The server's pid, to read its memory. */
  pid: number
  waiters: number
}

export type WaitersResult = {
  woken: number
  /** From the 250 of a mail to the complete response of its wait. */
  latenciesMs: number[]
  openMs: number
  mailsMs: number
  holdingMegabytes: number
  afterwardsMegabytes: number
}

type Waiter = { socket: Socket; acknowledgedAt: number | null; answeredAt: number | null }

/** The API's maximum wait. */
const WAIT_SECONDS = 60
/** Connections opened at once, like the workers of a large test run. */
const OPENING_MAX = 200
const MAIL_CONNECTIONS = 8
const MAIL_BYTES = 2_000
const SETTLE_MS = 1_000
/** After the 250 of the last mail. A wait without a response by then counts as not woken. */
const WAKE_MS_MAX = 15_000

/** Holds many waits, each for its own tag on its own connection, then sends a mail to each. */
export async function measureWaiters(options: WaitersOptions): Promise<WaitersResult> {
  const waiters: Waiter[] = []
  let answered = 0
  const openedAt = performance.now()
  await inParallel(OPENING_MAX, options.waiters, async (tag) => {
    waiters[tag] = await openWaiter(options, tag, () => answered++)
  })
  // Handled after the earlier requests, so all of them are held now.
  const http = new HttpClient(options.apiPort, options.apiKey)
  await http.get('/v1/me')
  const openMs = performance.now() - openedAt
  await sleep(SETTLE_MS)
  const holdingMegabytes = residentMegabytes(options.pid)

  const sendingAt = performance.now()
  await sendMails(options, waiters)
  const mailsMs = performance.now() - sendingAt
  const deadline = performance.now() + WAKE_MS_MAX
  while (answered < options.waiters && performance.now() < deadline) await sleep(10)

  for (const { socket } of waiters) socket.destroy()
  http.close()
  await sleep(SETTLE_MS)
  const latenciesMs = waiters.flatMap(({ acknowledgedAt, answeredAt }) =>
    acknowledgedAt === null || answeredAt === null ? [] : [answeredAt - acknowledgedAt],
  )
  return {
    woken: latenciesMs.length,
    latenciesMs,
    openMs,
    mailsMs,
    holdingMegabytes,
    afterwardsMegabytes: residentMegabytes(options.pid),
  }
}

function openWaiter({ apiPort, apiKey }: WaitersOptions, tag: number, onAnswer: () => void): Promise<Waiter> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(apiPort, {
      onBytes: createAnswerReader((status) => {
        // A response before the mail was sent, or with another status, is not a wake-up.
        if (status !== 200) return
        waiter.answeredAt = performance.now()
        onAnswer()
      }),
      onClose: (error) => reject(error ?? new Error('The server closed the connection.')),
    })
    const waiter: Waiter = { socket, acknowledgedAt: null, answeredAt: null }
    socket.on('connect', () => {
      socket.write(getRequest(`/v1/messages/latest?mailbox=wait&tag=t${tag}&wait=${WAIT_SECONDS}`, apiKey))
      resolve(waiter)
    })
  })
}

async function sendMails({ smtpPort }: WaitersOptions, waiters: Waiter[]): Promise<void> {
  const clients = await Promise.all(Array.from({ length: MAIL_CONNECTIONS }, () => SmtpClient.open(smtpPort)))
  await inParallel(MAIL_CONNECTIONS, waiters.length, async (tag, lane) => {
    const smtp = clients[lane]!
    const commands = mailCommands({ sizeBytes: MAIL_BYTES, recipient: `wait+t${tag}@mailhatch.test` })
    await smtp.ask(commands.from)
    await smtp.ask(commands.recipient)
    await smtp.ask(commands.data)
    waiters[tag]!.acknowledgedAt = (await smtp.ask(commands.content)).at
  })
  for (const smtp of clients) smtp.close()
}

async function inParallel(
  lanes: number,
  count: number,
  work: (index: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (next < count) await work(next++, lane)
    }),
  )
}
