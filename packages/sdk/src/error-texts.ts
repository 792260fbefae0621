import { describeAttempts } from './attempts-text.ts'
import { printable } from './printable.ts'
import type { MessageSummary, NearMiss, Rejection, SettledState, SmtpAttempt, UnknownTransit } from './wire.ts'

export type Came = Pick<MessageSummary, 'subject' | 'from' | 'to' | 'receivedAt'>

type Arrivals = { came?: Came[]; arrived: NearMiss[]; isCertain: boolean }

const UNKNOWN: Record<UnknownTransit['reason'], string> = {
  worker_silent: 'a worker does not respond',
  worker_searching: 'a worker still searches the mail of its last run',
  worker_unasked: 'a worker cannot be asked',
  no_worker: 'no worker is known',
  starting: 'the server has just started',
  replicas_unreachable: 'the server does not reach its replicas',
}

/** What is on its way, or unknown. Empty if neither is. */
export function pendingText(state: SettledState | null): string {
  if (state === null) return ''
  const { transactions, waiting, announcing } = state.onItsWay
  const pending = [
    [transactions, 'in open SMTP transactions'],
    [waiting, 'waiting to be announced'],
    [announcing, 'being announced'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, stage]) => `${count} ${stage}`)
  const unknown = state.unknown.map(({ worker, reason }) => UNKNOWN[reason] + (worker === null ? '' : ` (${worker})`))
  const parts = [...(pending.length === 0 ? [] : [`mail on its way: ${pending.join(', ')}`]), ...unknown]
  return parts.length === 0 ? '' : `The server reports: ${parts.join('; ')}.`
}

/** `arrived`: other messages, and what did not match. `isCertain`: no mail is on its way. */
export function arrivedText({ came = [], arrived, isCertain }: Arrivals): string {
  if (came.length + arrived.length === 0) {
    return isCertain ? 'Nothing arrived. Was the mail sent, and to this address?' : 'No message has arrived yet.'
  }
  const lines = [
    ...came.map(
      ({ to, from, subject, receivedAt }) =>
        `  ${receivedAt} to ${printable(to)} from ${printable(from)}: ${printable(subject)}`,
    ),
    ...arrived.map(
      ({ to, subject, failed }) => `  to ${printable(to)}: ${printable(subject)} (not matching: ${failed.join(', ')})`,
    ),
  ]
  return `What did arrive:\n${lines.join('\n')}`
}

export function attemptLines(attempts: SmtpAttempt[]): string[] {
  const text = describeAttempts(attempts)
  return text === null ? [] : [`What was tried with ${printable(attempts[0]!.to)}: ${text}.`]
}

/** What helps against a refusal, by its code. */
const REMEDIES: Record<string, string> = {
  mailbox_unknown: 'Create the mailbox, or send to an existing one.',
}

/** Mail that no message became of. Mail for a domain that no team has is accepted and kept, so it is not called refused. */
export function refusedLines(refused: Rejection[] | null, arrivedCount: number): string[] {
  if (refused === null) return arrivedCount > 0 ? [] : ['With an `api.full` key, this error also lists refused mail.']
  const kept = refused.filter(({ code }) => code === 'inbox_domain_unknown')
  const others = refused.filter((one) => !kept.includes(one))
  return [
    ...withHeading(
      'Mail of the last minutes to domains that no team has. It is in the dashboard under “Other addresses”. Send to an address on your team’s domain, catch the domain there, or start the server with `serve --catch-all`:',
      kept.map(envelopeText),
    ),
    ...withHeading(
      'Mail that was refused in the last minutes:',
      others.map(
        (one) => `${envelopeText(one)}: ${[printable(one.reason), REMEDIES[one.code]].filter(Boolean).join('. ')}`,
      ),
    ),
  ]
}

function envelopeText({ to, from }: Rejection): string {
  return `to ${printable(to) || '(unknown)'} from ${printable(from) || '(unknown)'}`
}

function withHeading(heading: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`)]
}

export function causeLines(cause: unknown): string[] {
  return cause instanceof Error ? [`The last request failed: ${cause.message}`] : []
}
