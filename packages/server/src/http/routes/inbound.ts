import { z } from 'zod'
import { announcementSchema } from '../../intake/announcement.ts'
import { readNotice, setAsideSchema } from '../../intake/set-aside-notice.ts'
import { isOperatorTeam } from '../../manage/operator.ts'
import { readJson } from '../body.ts'
import { rejectionsQuery, toRejectionsParams } from '../message-params.ts'
import { isoTime } from '../present.ts'
import { intakeAnswer, rejection } from '../shapes/shapes.ts'
import { id } from '../shapes/shape-parts.ts'
import { data, json, route } from './route.ts'

/** A mail of 25 MiB announces at most 1 MiB of text and HTML each; the rest is room for other people's workers. */
const ANNOUNCEMENT_BYTES_MAX = 27 * 1024 * 1024

/** A notice has two addresses and a sentence. */
const NOTICE_BYTES_MAX = 16 * 1024

export const listRejections = route({
  method: 'get',
  path: '/v1/rejections',
  access: 'api.full',
  tag: 'Inbound',
  summary: 'List mail that was refused',
  description:
    'Why an expected mail did not come: what was refused for the team’s own domain, newest first, the last 1,000. The team that the all-in-one program makes at its first start sees all.',
  query: rejectionsQuery,
  answers: { 200: data('The refusals.', z.array(rejection)) },
  errors: ['validation_failed'],
  async handle(ports, { principal: { team }, query }) {
    const seesAll = await isOperatorTeam(ports, team)
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
    'What the inbox worker posts for each mail that it has stored. The same id is stored once, so announcing again is safe. A domain that a team owns takes mail for any mailbox; on the root domain the mailbox must exist.',
  // Intake validates it: announcements within one process come without a request.
  body: {
    schema: announcementSchema.meta({ id: 'Announcement' }),
    read: (request: Request) => readJson(request, { bytesMax: ANNOUNCEMENT_BYTES_MAX, status: 422 }),
  },
  answers: { 200: json('Stored now or before.', intakeAnswer) },
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
  async handle({ takeIn }, { body }) {
    const { id: inboxMessageId, status } = await takeIn(body)
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
    'What the inbox worker posts for a mail that failed three times by its own doing and that it announces again only by hand. It is then listed among the refusals, with the code `set_aside`.',
  body: {
    schema: setAsideSchema.meta({ id: 'SetAsideNotice' }),
    read: async (request: Request) => readNotice(await readJson(request, { bytesMax: NOTICE_BYTES_MAX, status: 422 })),
  },
  answers: {
    200: json('Noted.', z.strictObject({ ok: z.literal(true), status: z.literal('noted'), inboxMessageId: id })),
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
  handle({ recordRejection }, { body }) {
    const { id: inboxMessageId, from, to, reason } = body
    recordRejection({ from, to, code: 'set_aside', reason })
    return { ok: true, status: 'noted' as const, inboxMessageId }
  },
})
