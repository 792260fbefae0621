import type { SmtpAttempt } from '@mailhatch/sdk'
import { z } from 'zod'
import { count, described, id, shapeOf, text, textOrNull, time } from './shape-parts.ts'

const stage = z.enum(['rcpt', 'data', 'after-data'])

const attemptShape = {
  to: text('The recipient, as the sender wrote it.', 'qa+42@mailhatch.test'),
  from: text('The sender of the envelope. Empty for bounces.', 'app@shop.example'),
  startedAt: described(time, 'When the sender named the recipient.'),
  endedAt: time,
  outcome: z.enum(['accepted', 'refused', 'cut', 'closed', 'abandoned', 'timed-out', 'shut-down']).meta({
    description:
      '`cut`: by a scenario. `closed`: the client closed the connection. `abandoned`: the client gave up with QUIT, RSET or EHLO. `timed-out`: the client was too slow. `shut-down`: the server was stopped.',
  }),
  stage: stage.meta({ description: 'How far the attempt came.' }),
  replies: z
    .array(
      z.strictObject({
        stage,
        code: count.meta({ example: 451 }),
        text: text('The rest of the reply.', '4.3.0 Not now'),
      }),
    )
    .meta({ description: 'The replies that the sender got for this recipient.' }),
  size: count.meta({ description: 'How many bytes of the mail were received.', example: 4321 }),
  tls: textOrNull('The version of TLS. Null without TLS.', 'TLSv1.3'),
  authenticated: z.boolean().meta({ description: 'Whether the client has used AUTH.' }),
  helo: textOrNull('The name that the client gave itself.', 'shop.example'),
  remoteAddress: textOrNull('The address of the client.', '192.0.2.7'),
  connection: text('The same for all attempts on one connection.', '5d6b8f0e1a24'),
  messageId: id.nullable().meta({ description: 'The message. Null if the mail was not stored.' }),
}

export const smtpAttempt = shapeOf<SmtpAttempt>()(
  z.strictObject({ id: described(id, 'Id of the attempt.'), ...attemptShape }),
).meta({
  description: 'One SMTP transaction for one recipient.',
})

/** Longer than any address, host name or reply. */
const TEXT_CHARACTERS_MAX = 1_000
const REPLIES_MAX = 10

/** Without what databases cannot represent: the sender has written it. */
const untrusted = z
  .string()
  .max(TEXT_CHARACTERS_MAX)
  .transform((value) => value.replaceAll('\0', '').toWellFormed())

/** The same, as workers report it. Times are milliseconds. A newer worker may report more. */
export const endedAttempt = z.object({
  ...attemptShape,
  to: untrusted,
  from: untrusted,
  startedAt: count,
  endedAt: count,
  replies: z.array(z.strictObject({ stage, code: count, text: untrusted })).max(REPLIES_MAX),
  tls: untrusted.nullable(),
  helo: untrusted.nullable(),
  remoteAddress: untrusted.nullable(),
  connection: untrusted,
})
