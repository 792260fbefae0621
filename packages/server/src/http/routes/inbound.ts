import { z } from 'zod'
import { WORKER_HEADER } from '../../domain/transit.ts'
import { announcementSchema } from '../../intake/announcement.ts'
import { readNotice, setAsideSchema } from '../../intake/set-aside-notice.ts'
import { isOperatorTeam } from '../../manage/operator.ts'
import { readJson } from '../body.ts'
import { rejectionsQuery, toRejectionsParams } from '../message-params.ts'
import { isoTime } from '../present.ts'
import { intakeAnswer, rejection } from '../shapes/shapes.ts'
import { id } from '../shapes/shape-parts.ts'
import { data, json, route } from './route.ts'

/** Our worker announces at most 1 MiB of text and of HTML. The limit leaves room for third-party workers. */
const ANNOUNCEMENT_BYTES_MAX = 27 * 1024 * 1024

/** A notice contains two addresses and a sentence. */
const NOTICE_BYTES_MAX = 16 * 1024

export const listRejections = route({
  method: 'get',
  path: '/v1/rejections',
  access: 'api.full',
  tag: 'Inbound',
  summary: 'List rejected mail',
  description:
    'Shows why an expected mail did not arrive: the last 1,000 rejections for the team’s own domain, newest first. The team that the all-in-one program creates at its first start sees the rejections of all domains.',
  query: rejectionsQuery,
  answers: { 200: data('The rejections.', z.array(rejection)) },
  errors: ['validation_failed'],
  async handle(ports, { principal: { team }, query }) {
    const seesAll = await isOperatorTeam(ports.inbound, team)
    const rejections = await ports.store.listRejections(seesAll ? null : team.id, toRejectionsParams(query))
    return { data: rejections.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })) }
  },
})

export const announceMail = route({
  method: 'post',
  path: '/webhooks/inbox',
  access: 'webhook secret',
  tag: 'Inbound',
  summary: 'Announce a mail',
  description:
    'The inbox worker posts this for each mail that it has stored. Each id is stored once, so it is safe to announce a mail again. On a team’s own domain, mail for any mailbox is accepted. On the root domain, the mailbox must exist.',
  // Intake validates the body, because announcements within one process need no request.
  body: {
    schema: announcementSchema.meta({ id: 'Announcement' }),
    read: (request: Request) => readJson(request, { bytesMax: ANNOUNCEMENT_BYTES_MAX, status: 422 }),
  },
  answers: { 200: json('The message is stored, now or earlier.', intakeAnswer) },
  errors: [
    {
      code: 'validation_failed',
      status: 422,
      sentence: 'The announcement is not valid.',
      details: { to: ['is required'] },
    },
    'received_at_invalid',
    'inbox_domain_unknown',
    'mailbox_unknown',
    'payload_too_large',
  ],
  async handle({ inbound }, { body, context }) {
    inbound.exchange.noteAnnouncer(context.req.header(WORKER_HEADER))
    const { id: inboxMessageId, status } = await inbound.acceptAnnouncement(body)
    return { ok: true, status, inboxMessageId }
  },
})

export const reportSetAside = route({
  method: 'post',
  path: '/webhooks/inbox/set-aside',
  access: 'webhook secret',
  tag: 'Inbound',
  summary: 'Report a mail that was set aside',
  description:
    'The inbox worker posts this for a mail that failed three times because of its own content. The worker announces it again only if an operator asks for it. The mail then appears in the list of rejections with the code `set_aside`.',
  body: {
    schema: setAsideSchema.meta({ id: 'SetAsideNotice' }),
    read: async (request: Request) => readNotice(await readJson(request, { bytesMax: NOTICE_BYTES_MAX, status: 422 })),
  },
  answers: {
    200: json(
      'The notice is recorded.',
      z.strictObject({ ok: z.literal(true), status: z.literal('noted'), inboxMessageId: id }),
    ),
  },
  errors: [
    {
      code: 'validation_failed',
      status: 422,
      sentence: 'The notice is not valid.',
      details: { to: ['is required'] },
    },
    'payload_too_large',
  ],
  handle({ inbound }, { body }) {
    const { id: inboxMessageId, from, to, reason } = body
    inbound.recordRejection({ from, to, code: 'set_aside', reason })
    return { ok: true, status: 'noted' as const, inboxMessageId }
  },
})
