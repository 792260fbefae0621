import type { SmtpAttempt } from '@mailhatch/sdk'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { summaryOf } from './email-facts.ts'
import type { MailReader } from './mail-reader.ts'
import { address, needle, WAIT_SECONDS_DEFAULT, WAIT_SECONDS_MAX } from './tool-inputs.ts'
import { cleanLine, type Fields } from './untrusted-text.ts'

const ATTEMPTS_MAX = 50
const ATTEMPTS_DEFAULT = 20
const QUIET_SECONDS_MAX = 20
const QUIET_SECONDS_DEFAULT = 0.5
const TEXT_LENGTH_MAX = 300

type Parts = { reader: MailReader; answer: (fields: Fields) => CallToolResult }

/** The tools about mail before it is a message. */
export function addDeliveryTools(server: McpServer, { reader, answer }: Parts): void {
  server.registerTool(
    'wait_until_settled',
    {
      title: 'Wait until all mail has arrived',
      description:
        'Waits until no mail for the address is on its way through the server and none came for `quiet_s`, then counts what came: for "no mail" and "exactly one". Mail that the app has not begun to send is unknown, so choose `quiet_s` longer than it takes. If `settled` is false, call again.',
      inputSchema: z
        .object({
          address,
          after: needle.optional().describe('A cursor: counts only mail that arrived later.'),
          quiet_s: z.number().min(0).max(QUIET_SECONDS_MAX).default(QUIET_SECONDS_DEFAULT),
          timeout_s: z.number().min(0).max(WAIT_SECONDS_MAX).default(WAIT_SECONDS_DEFAULT),
        })
        .refine(({ quiet_s, timeout_s }) => quiet_s === 0 || timeout_s > quiet_s, {
          message: 'timeout_s must be longer than quiet_s',
        }),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    },
    async ({ address, after, quiet_s, timeout_s }, { mcpReq }) => {
      const query = { mailbox: address, after, quiet: quiet_s, wait: timeout_s }
      const { state, cursor } = await reader.settled(query, mcpReq.signal)
      const { settled, count, isExact, messages, onItsWay, setAside, unknown } = state
      return answer({
        settled,
        count,
        is_exact: isExact,
        emails: messages.map(summaryOf),
        on_its_way: onItsWay,
        set_aside: setAside,
        unknown: unknown.map(({ reason }) => reason),
        next_cursor: cursor,
      })
    },
  )

  server.registerTool(
    'list_attempts',
    {
      title: 'List attempts to send mail',
      description:
        'Lists what senders tried for an address in the last day, newest first: also mail that was refused, cut off or given up.',
      inputSchema: z.object({
        address,
        limit: z.int().min(1).max(ATTEMPTS_MAX).default(ATTEMPTS_DEFAULT),
        after_id: needle.optional().describe('The id of the last attempt of the previous page.'),
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ address, limit, after_id }) => {
      const { data, has_more } = await reader.attempts({ to: address, limit, after_id })
      return answer({ attempts: data.map(attemptFacts), has_more })
    },
  )
}

function attemptFacts({ from, to, helo, replies, ...attempt }: SmtpAttempt): Fields {
  return {
    id: attempt.id,
    started_at: attempt.startedAt,
    ended_at: attempt.endedAt,
    outcome: attempt.outcome,
    stage: attempt.stage,
    reply_codes: replies.map(({ code }) => code),
    size: attempt.size,
    email_id: attempt.messageId,
    untrusted: {
      from: cleanLine(from, TEXT_LENGTH_MAX),
      to: cleanLine(to, TEXT_LENGTH_MAX),
      helo: helo === null ? null : cleanLine(helo, TEXT_LENGTH_MAX),
      last_reply: cleanLine(replies.at(-1)?.text ?? '', TEXT_LENGTH_MAX),
    },
  }
}
