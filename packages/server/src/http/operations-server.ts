import { announcementSchema } from '../intake/announcement.ts'
import { setAsideSchema } from '../intake/set-aside-notice.ts'
import { rejectionsQuery } from './message-params.ts'
import type { Operation } from './operations.ts'
import { ANSWERS } from './schemas.ts'

const JSON_TYPE = 'application/json'

export const SERVER_OPERATIONS: Operation[] = [
  {
    id: 'listRejections',
    method: 'get',
    path: '/v1/rejections',
    tag: 'Inbound',
    summary: 'List mail that was refused',
    description:
      'Why an expected mail did not come: what was refused for the team’s own domain, newest first, the last 1,000. The team that the all-in-one program makes at its first start sees all.',
    access: 'full key',
    query: rejectionsQuery,
    success: [{ status: 200, description: 'The refusals.', contentType: JSON_TYPE, schema: ANSWERS.rejections }],
    errors: ['validation_failed'],
  },
  {
    id: 'announceMail',
    method: 'post',
    path: '/webhooks/inbox',
    tag: 'Inbound',
    summary: 'Announce a mail',
    description:
      'What the inbox worker posts for each mail that it has stored. The same id is stored once, so announcing again is safe. A domain that a team owns takes mail for any mailbox; on the root domain the mailbox must exist.',
    access: 'webhook secret',
    body: announcementSchema,
    success: [
      { status: 200, description: 'Stored now or before.', contentType: JSON_TYPE, schema: ANSWERS.intakeAnswer },
    ],
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
  },
  {
    id: 'reportSetAside',
    method: 'post',
    path: '/webhooks/inbox/set-aside',
    tag: 'Inbound',
    summary: 'Report a mail that was set aside',
    description:
      'What the inbox worker posts for a mail that failed three times by its own doing and that it announces again only by hand. It is then listed among the refusals, with the code `set_aside`.',
    access: 'webhook secret',
    body: setAsideSchema,
    success: [{ status: 200, description: 'Noted.', contentType: JSON_TYPE, schema: ANSWERS.noted }],
    errors: [
      {
        code: 'validation_failed',
        status: 422,
        sentence: 'The notice is not valid.',
        details: { to: ['is required'] },
      },
      'payload_too_large',
    ],
  },
  {
    id: 'getHealth',
    method: 'get',
    path: '/health',
    tag: 'Server',
    summary: 'Is the process alive',
    description: 'For a supervisor that restarts what does not answer.',
    access: 'everyone',
    success: [{ status: 200, description: 'It is.', contentType: JSON_TYPE, schema: ANSWERS.health }],
    errors: [],
  },
  {
    id: 'getReadiness',
    method: 'get',
    path: '/ready',
    tag: 'Server',
    summary: 'Can mail be taken in and read',
    description: 'For a load balancer, and for scripts that wait until the server is up.',
    access: 'everyone',
    success: [
      { status: 200, description: 'It can.', contentType: JSON_TYPE, schema: ANSWERS.ready },
      { status: 503, description: 'It cannot, and why.', contentType: JSON_TYPE, schema: ANSWERS.notReady },
    ],
    errors: [],
  },
  {
    id: 'getDocument',
    method: 'get',
    path: '/openapi.json',
    tag: 'Server',
    summary: 'This API as OpenAPI 3.1',
    description: 'For client generators and tools; readable from any web page.',
    access: 'everyone',
    success: [{ status: 200, description: 'The document.', contentType: JSON_TYPE, schema: ANSWERS.document }],
    errors: [],
  },
  {
    id: 'getReference',
    method: 'get',
    path: '/docs',
    tag: 'Server',
    summary: 'This API as a page to read',
    description: 'Made from the same document; needs no script and no network.',
    access: 'everyone',
    success: [{ status: 200, description: 'The page.', contentType: 'text/html' }],
    errors: [],
  },
]
