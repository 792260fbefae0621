import { z } from 'zod'
import { action, knownScript } from '../shapes/scenario-shapes.ts'
import { id, text } from '../shapes/shape-parts.ts'
import { json, route } from './route.ts'

/** Of each part of an address: more than SMTP allows for the whole of it. */
const ADDRESS_CHARACTERS_MAX = 320

export const listScripts = route({
  method: 'post',
  path: '/webhooks/inbox/scripts',
  access: 'webhook secret',
  tag: 'Inbound',
  summary: 'List the addresses with scenarios',
  description:
    'The inbox worker asks for this twice a second. If it knows this version already, the response has no addresses.',
  body: z
    .object({
      version: z.string().max(64).nullable().meta({ description: 'The version that the worker knows.', example: null }),
    })
    .meta({ id: 'KnownScripts' }),
  answers: {
    200: json(
      'The addresses of all teams.',
      z.strictObject({
        version: text('Changes with the addresses.', '9f86d081884c7d65'),
        scripts: z.array(knownScript).nullable().meta({ description: 'Null if the worker knows this version.' }),
      }),
    ),
  },
  errors: ['validation_failed', 'payload_too_large', 'unsupported_media_type'],
  handle({ inbound: { scenarios } }, { body }) {
    const { version, scripts } = scenarios.scripts.current()
    return { version, scripts: body.version === version ? null : scripts }
  },
})

export const takeScriptStep = route({
  method: 'post',
  path: '/webhooks/inbox/scripts/step',
  access: 'webhook secret',
  tag: 'Inbound',
  summary: 'Use the next step of a scenario',
  description: 'The inbox worker asks for this at each RCPT with the address of a scenario. The step counts as used.',
  body: z
    .object({
      teamId: z.string().max(64),
      id,
      recipient: z
        .object({
          domain: z.string().max(ADDRESS_CHARACTERS_MAX),
          mailbox: z.string().max(ADDRESS_CHARACTERS_MAX),
          tag: z.string().max(ADDRESS_CHARACTERS_MAX).nullable(),
        })
        .optional()
        .meta({
          description: 'The address that is named. If the scenario has ended, another one may apply to it by now.',
        }),
    })
    .meta({ id: 'ScenarioOfWorker' }),
  answers: { 200: json('What the worker has to do.', z.strictObject({ action })) },
  errors: ['validation_failed', 'payload_too_large', 'unsupported_media_type'],
  handle: async ({ inbound: { scenarios } }, { body }) => ({ action: await scenarios.takeStep(body) }),
})
