import { mailboxesQuery } from './message-params.ts'
import type { Operation, Refusal } from './operations.ts'
import { mailboxBody } from './rest/mailboxes.ts'
import { ANSWERS } from './schemas.ts'

const MAILBOX_ID = { description: 'Id of the mailbox.', example: '0199a3c2-5b10-7e0d-8f11-2c4d6e8fa013' }
const INVALID_NAME: Refusal = {
  code: 'mailbox_invalid',
  sentence: 'Mailbox names may contain letters, numbers, dot, dash, underscore.',
}
const INVALID_BODY: Refusal = {
  code: 'validation_failed',
  sentence: 'The body is not valid.',
  details: { name: ['is required'] },
}
const JSON_TYPE = 'application/json'

export const MAILBOX_OPERATIONS: Operation[] = [
  {
    id: 'listMailboxes',
    method: 'get',
    path: '/v1/mailboxes',
    tag: 'Mailboxes',
    summary: 'List mailboxes',
    description: 'The mailboxes that the key may see, the last changed first.',
    access: 'reading key',
    query: mailboxesQuery,
    success: [{ status: 200, description: 'The mailboxes.', contentType: JSON_TYPE, schema: ANSWERS.mailboxes }],
    errors: ['mailbox_invalid', 'validation_failed'],
  },
  {
    id: 'createMailbox',
    method: 'post',
    path: '/v1/mailboxes',
    tag: 'Mailboxes',
    summary: 'Create a mailbox',
    description:
      'On the team’s own domain, or else on the root domain. A name that the team already has gives the mailbox that exists. A domain of the team’s own needs no mailboxes to be created: the first mail to a name makes one.',
    access: 'full key',
    body: mailboxBody,
    success: [{ status: 201, description: 'The mailbox.', contentType: JSON_TYPE, schema: ANSWERS.mailbox }],
    errors: [
      INVALID_NAME,
      'mailbox_reserved',
      INVALID_BODY,
      'mailbox_limit',
      'mailbox_taken',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  {
    id: 'renameMailbox',
    method: 'patch',
    path: '/v1/mailboxes/{id}',
    tag: 'Mailboxes',
    summary: 'Rename a mailbox',
    description:
      'Stored messages and keys follow: `mailbox` and `mailboxWithTag` show the new name, `to` stays as it was sent.',
    access: 'full key',
    pathParameters: { id: MAILBOX_ID },
    body: mailboxBody,
    success: [{ status: 200, description: 'The mailbox.', contentType: JSON_TYPE, schema: ANSWERS.mailbox }],
    errors: [
      INVALID_NAME,
      'mailbox_reserved',
      INVALID_BODY,
      'not_found',
      'mailbox_taken',
      'payload_too_large',
      'unsupported_media_type',
    ],
  },
  {
    id: 'deleteMailbox',
    method: 'delete',
    path: '/v1/mailboxes/{id}',
    tag: 'Mailboxes',
    summary: 'Delete a mailbox',
    description: 'Its messages and their raw bytes go too. A key that is bound to it may do nothing from then on.',
    access: 'full key',
    pathParameters: { id: MAILBOX_ID },
    success: [{ status: 200, description: 'What was deleted.', contentType: JSON_TYPE, schema: ANSWERS.removed }],
    errors: ['not_found'],
  },
  {
    id: 'getMe',
    method: 'get',
    path: '/v1/me',
    tag: 'Keys',
    summary: 'Who am I, and what is the newest cursor',
    description:
      'The team and the key behind the API key. `cursor` is the place from which to wait for what comes next.',
    access: 'reading key',
    success: [{ status: 200, description: 'Team, key and cursor.', contentType: JSON_TYPE, schema: ANSWERS.me }],
    errors: [],
  },
  {
    id: 'rotateApiKey',
    method: 'post',
    path: '/v1/api-keys/rotate',
    tag: 'Keys',
    summary: 'Replace the calling key',
    description: 'Gives the key that asks a new value, shown this once. The old value is dead at once.',
    access: 'full key',
    success: [{ status: 200, description: 'The new key.', contentType: JSON_TYPE, schema: ANSWERS.rotatedKey }],
    errors: [],
  },
]
