import { setTimeout as delay } from 'node:timers/promises'
import { MailhatchError, NotFoundError, type Mailhatch, type MessageSummary } from '@mailhatch/sdk'
import { webhookEventBody } from '../domain/webhook-event.ts'
import type { Forward } from './forward.ts'
import type { ListenReport } from './listen-report.ts'

const RETRY_MS = 250
const RETRY_MS_MAX = 5_000

type Ports = { mailhatch: Mailhatch; forward: Forward; report: ListenReport; signal: AbortSignal }
type Options = { filter: { mailbox?: string; tag?: string }; replayLast: number; onReady: () => void }

/** Forwards messages one by one as they arrive. Throws when the signal fires. */
export async function followAndForward(ports: Ports, { filter, replayLast, onReady }: Options): Promise<never> {
  const { mailhatch, signal } = ports
  const limit = Math.max(1, replayLast)
  const { data: newest, cursor } = await mailhatch.messages.list({ ...filter, limit }, { signal })
  onReady()
  for (const message of newest.slice(0, replayLast).reverse()) await forwardMessage(ports, message)
  // Starts at the cursor of the list, so that no message is missed in between.
  for await (const message of mailhatch.messages.stream({ ...filter, after: cursor }, { signal })) {
    await forwardMessage(ports, message)
  }
  throw new Error('The message stream ended unexpectedly.')
}

async function forwardMessage({ mailhatch, forward, report, signal }: Ports, message: MessageSummary): Promise<void> {
  report.event(message)
  const mail = await retryWhileAway(
    () => mailhatch.messages.get(message.id, { signal }).catch(awayOrGone),
    () => report.away(message, 'server'),
    signal,
  )
  if (mail === 'gone') return report.gone(message)
  const { id, mailbox, mailboxWithTag, tag, from, to, subject, domain, timings } = mail
  const receivedAt = Date.parse(mail.receivedAt)
  // Byte for byte what the server would send.
  const body = webhookEventBody(
    { id, mailbox, mailboxWithTag, tag, from, to, subject, receivedAt, domain },
    Date.parse(timings.storedAt),
  )
  const answer = await retryWhileAway(
    () => forward({ id, body }, signal),
    () => report.away(message, 'target'),
    signal,
  )
  report.answer(message, answer)
}

async function retryWhileAway<Result>(
  work: () => Promise<Result | 'away'>,
  onFirstAway: () => void,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    const result = await work()
    if (result !== 'away') return result
    if (tries === 0) onFirstAway()
    await delay(Math.min(RETRY_MS * 2 ** tries, RETRY_MS_MAX), undefined, { signal })
  }
}

function awayOrGone(error: unknown): 'away' | 'gone' {
  if (error instanceof NotFoundError) return 'gone'
  // No response, a restart, or a rate limit.
  if (error instanceof MailhatchError && (error.status === 0 || error.status >= 500 || error.status === 429))
    return 'away'
  throw error
}
