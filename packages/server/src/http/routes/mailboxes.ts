import { z } from 'zod'
import { RESERVED_NAMES } from '../../domain/reserved-names.ts'
import { trimmedPattern } from '../../domain/text-patterns.ts'
import { chosenName, createMailbox as addMailbox, renameMailbox as changeName } from '../../manage/mailboxes.ts'
import { removeMailbox } from '../../manage/removal.ts'
import type { Mailbox } from '../../store/mailboxes.ts'
import type { View } from '../../store/messages.ts'
import { mailboxesQuery } from '../message-params.ts'
import { presentMailbox } from '../present.ts'
import { mailbox, removed } from '../shapes/shapes.ts'
import { viewOf } from '../view.ts'
import { mailboxId, notFound } from './path-parameters.ts'
import { data, route, type DeclaredFailure } from './route.ts'

const mailboxBody = z
  .object({
    name: z.string().meta({
      description:
        '1 to 64 letters, digits, dots, dashes or underscores. Stored in lower case. Some names are reserved.',
      pattern: trimmedPattern('[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?'),
      not: { pattern: trimmedPattern(Array.from(RESERVED_NAMES, caseInsensitive).join('|')) },
      example: 'orders',
    }),
  })
  .meta({ id: 'MailboxName' })

const NAME_ERRORS: DeclaredFailure[] = [
  {
    code: 'mailbox_invalid',
    sentence: 'Mailbox names may contain letters, numbers, dot, dash, underscore.',
  },
  'mailbox_reserved',
  {
    code: 'validation_failed',
    sentence: 'The body is not valid.',
    details: { name: ['is required'] },
  },
]
const BODY_ERRORS: DeclaredFailure[] = ['payload_too_large', 'unsupported_media_type']

export const listMailboxes = route({
  method: 'get',
  path: '/v1/mailboxes',
  access: 'any scope',
  tag: 'Mailboxes',
  summary: 'List mailboxes',
  description: 'Lists the mailboxes that the key may see, most recently changed first.',
  query: mailboxesQuery,
  answers: { 200: data('The mailboxes.', z.array(mailbox)) },
  errors: ['mailbox_invalid', 'validation_failed'],
  async handle({ store, now }, { principal, query }) {
    const view = viewOf(principal, query, now())
    const all = await store.listMailboxes(view.teamId)
    return { data: all.filter((one) => isShown(view.filter, one)).map(presentMailbox) }
  },
})

export const createMailbox = route({
  method: 'post',
  path: '/v1/mailboxes',
  access: 'api.full',
  tag: 'Mailboxes',
  summary: 'Create a mailbox',
  description:
    'Creates a mailbox on the team’s own domain, or else on the root domain. If the team already has a mailbox with this name, the response is that mailbox. On the team’s own domain, the first mail to a name creates its mailbox automatically.',
  body: mailboxBody,
  answers: { 201: data('The mailbox.', mailbox) },
  errors: [...NAME_ERRORS, 'mailbox_limit', 'mailbox_taken', ...BODY_ERRORS],
  validate: (_, { body }) => chosenName(body.name),
  handle: async (ports, { principal, input: name }) => ({
    data: presentMailbox(await addMailbox(ports.mailboxes, principal.team, name)),
  }),
})

export const renameMailbox = route({
  method: 'patch',
  path: '/v1/mailboxes/{id}',
  access: 'api.full',
  tag: 'Mailboxes',
  summary: 'Rename a mailbox',
  description:
    'Stored messages and keys keep their mailbox. `mailbox` and `mailboxWithTag` show the new name, and `to` does not change.',
  params: { id: mailboxId },
  body: mailboxBody,
  answers: { 200: data('The mailbox.', mailbox) },
  errors: [...NAME_ERRORS, 'not_found', 'mailbox_taken', ...BODY_ERRORS],
  validate: (_, { body }) => chosenName(body.name),
  handle: async (ports, { principal, params: { id }, input: name }) => ({
    data: presentMailbox(await changeName(ports.mailboxes, principal.team.id, id, name)),
  }),
})

export const deleteMailbox = route({
  method: 'delete',
  path: '/v1/mailboxes/{id}',
  access: 'api.full',
  tag: 'Mailboxes',
  summary: 'Delete a mailbox',
  description:
    'Also deletes its messages and their raw mail. A key that is bound to the mailbox loses all permissions.',
  params: { id: mailboxId },
  answers: { 200: data('Id of the deleted mailbox.', removed) },
  errors: ['not_found'],
  async handle(ports, { principal, params: { id } }) {
    if (!(await removeMailbox(ports.mailboxes, { teamId: principal.team.id, id }))) throw notFound()
    return { data: { id } }
  },
})

function caseInsensitive(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

function isShown({ mailboxId: bound, mailbox: wanted }: View['filter'], { id, name, domain }: Mailbox): boolean {
  if (bound !== undefined && bound !== id) return false
  return !wanted || (wanted.name === name && (wanted.domain === null || wanted.domain === domain))
}
