import type { MessageDetail, MessageSummary, SmtpAttempt } from '@mailhatch/sdk'
import { InvalidArgumentError, Option } from 'commander'

const SUMMARY: Record<keyof MessageSummary, true> = {
  id: true,
  mailboxId: true,
  mailbox: true,
  mailboxWithTag: true,
  tag: true,
  from: true,
  fromName: true,
  to: true,
  subject: true,
  receivedAt: true,
  cursor: true,
  attachmentCount: true,
  size: true,
}

const DETAIL: Record<keyof MessageDetail, true> = {
  ...SUMMARY,
  toAll: true,
  cc: true,
  replyTo: true,
  date: true,
  headers: true,
  htmlContent: true,
  textContent: true,
  domain: true,
  tenantSubdomain: true,
  codes: true,
  links: true,
  attachments: true,
  envelope: true,
  timings: true,
  parse: true,
}

const ATTEMPT: Record<keyof SmtpAttempt, true> = {
  id: true,
  to: true,
  from: true,
  startedAt: true,
  endedAt: true,
  outcome: true,
  stage: true,
  replies: true,
  size: true,
  tls: true,
  authenticated: true,
  helo: true,
  remoteAddress: true,
  connection: true,
  messageId: true,
}

const NAMES = { summary: Object.keys(SUMMARY), detail: Object.keys(DETAIL), attempt: Object.keys(ATTEMPT) }

/** `--json [fields]`. Unknown fields are refused before the command does anything, such as waiting for a message. */
export function jsonFieldsOption(of: keyof typeof NAMES, what = 'print JSON'): Option {
  return new Option('--json [fields]', `${what}, optionally only these fields`).argParser((text) => {
    const unknown = text.split(',').find((name) => !NAMES[of].includes(name.trim()))
    if (unknown === undefined) return text
    throw new InvalidArgumentError(`Unknown field ${unknown.trim()}. Available: ${NAMES[of].join(', ')}.`)
  })
}
