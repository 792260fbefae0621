import { z } from 'zod'
import { ATTEMPTS_PER_GROUP_MAX, newGroupId } from '../../domain/attempt.ts'
import { listAttempts as readAttempts } from '../../read/attempts.ts'
import { attemptsQuery, toAttemptsParams } from '../attempt-params.ts'
import { presentAttempt } from '../present.ts'
import { endedAttempt, smtpAttempt } from '../shapes/attempt-shapes.ts'
import { id } from '../shapes/shape-parts.ts'
import { viewOf } from '../view.ts'
import { json, route } from './route.ts'

export const listAttempts = route({
  method: 'get',
  path: '/v1/attempts',
  access: 'any scope',
  tag: 'Inbound',
  summary: 'List attempts to send mail',
  description:
    'Lists the SMTP transactions of the last day for an address, the one that ended last first: also those that were refused, cut off or given up, so that a test can assert how an app tries again. One entry per recipient. At most the newest 100,000 of a team are kept. Attempts appear when their transaction ends, after at most about 200 milliseconds; in the all-in-one program at once. Other parameters than these are refused.',
  query: attemptsQuery,
  exampleQuery: 'to=qa%2B42@mailhatch.test',
  answers: {
    200: json(
      'A page of attempts.',
      z.strictObject({
        data: z.array(smtpAttempt),
        has_more: z.boolean().meta({ description: 'Whether there are more attempts than the page contains.' }),
      }),
    ),
  },
  errors: ['validation_failed', 'cursor_not_found'],
  validate: (_, { query, search }) => toAttemptsParams(query, search),
  async handle({ store, now, inbound }, { principal, input: { to, ...page } }) {
    const view = viewOf(principal, to ? { mailbox: to } : {}, now())
    const { attempts, hasMore } = await readAttempts({ ...inbound, store, now }, view, page)
    return { data: attempts.map(presentAttempt), has_more: hasMore }
  },
})

export const reportAttempts = route({
  method: 'post',
  path: '/webhooks/inbox/attempts',
  access: 'webhook secret',
  tag: 'Inbound',
  summary: 'Report attempts to send mail',
  description:
    'The inbox worker posts this after SMTP transactions, at most ten times a second. It is safe to report the same group again. Attempts for addresses of no team are ignored.',
  body: z.object({ id, attempts: z.array(endedAttempt).max(ATTEMPTS_PER_GROUP_MAX) }).meta({ id: 'AttemptGroup' }),
  answers: { 200: json('The attempts are stored.', z.strictObject({ ok: z.literal(true) })) },
  errors: ['validation_failed', 'payload_too_large', 'unsupported_media_type'],
  async handle({ inbound }, { body }) {
    await inbound.ledger.add({ ...body, id: newGroupId(body.id) })
    return { ok: true as const }
  },
})
