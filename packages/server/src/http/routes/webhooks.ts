import { z } from 'zod'
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
  testEndpoint,
} from '../../manage/endpoints.ts'
import { presentDelivery, presentEndpoint } from '../present.ts'
import { removed } from '../shapes/shapes.ts'
import { webhookDelivery, webhookEndpoint, webhookSecret } from '../shapes/webhook-shapes.ts'
import { endpointBody, endpointChangeBody, toChange, toEndpointInput } from '../webhook-params.ts'
import { endpointId } from './path-parameters.ts'
import { data, route, type DeclaredFailure } from './route.ts'

const BODY_ERRORS: DeclaredFailure[] = [
  { code: 'validation_failed', sentence: 'The body is not valid.', details: { url: ['is required'] } },
  'webhook_url_insecure',
  'webhook_url_private',
  'payload_too_large',
  'unsupported_media_type',
]

export const listWebhooks = route({
  method: 'get',
  path: '/v1/webhooks',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'Lists the team’s endpoints, newest first.',
  answers: { 200: data('The endpoints.', z.array(webhookEndpoint)) },
  errors: [],
  handle: async ({ store }, { principal }) => ({
    data: (await store.listEndpoints(principal.team.id)).map(presentEndpoint),
  }),
})

export const createWebhook = route({
  method: 'post',
  path: '/v1/webhooks',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Create a webhook endpoint',
  description:
    'From now on, each new message is posted to the URL as a signed `email.received` event. `mailbox` and `tag` restrict it to messages for that mailbox or tag. The secret is shown only once. A team has at most 20 endpoints.',
  body: endpointBody,
  answers: {
    201: data('The endpoint and its secret.', z.strictObject({ endpoint: webhookEndpoint, secret: webhookSecret })),
  },
  errors: [...BODY_ERRORS, 'webhooks_unavailable', 'webhook_limit', 'webhook_exists'],
  validate: (ports, { body }) => toEndpointInput(ports.webhooks, body),
  async handle(ports, { principal, input }) {
    const { endpoint, secret } = await createEndpoint(ports.webhooks, principal.team, input)
    return { data: { endpoint: presentEndpoint(endpoint), secret } }
  },
})

export const updateWebhook = route({
  method: 'patch',
  path: '/v1/webhooks/{id}',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Change, enable or disable a webhook endpoint',
  description:
    'Fields that are left out do not change. A disabled endpoint receives no events, and its pending deliveries fail with `endpoint inactive`. Enabling it resets its count of failures.',
  params: { id: endpointId },
  body: endpointChangeBody,
  answers: { 200: data('The endpoint.', webhookEndpoint) },
  errors: [...BODY_ERRORS, 'not_found', 'webhook_exists'],
  validate: (ports, { body }) => toChange(ports.webhooks, body),
  handle: async (ports, { principal, params: { id }, input }) => ({
    data: presentEndpoint(await changeEndpoint(ports.webhooks, { teamId: principal.team.id, id }, input)),
  }),
})

export const deleteWebhook = route({
  method: 'delete',
  path: '/v1/webhooks/{id}',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Also deletes its deliveries, including pending ones.',
  params: { id: endpointId },
  answers: { 200: data('Id of the deleted endpoint.', removed) },
  errors: ['not_found'],
  async handle(ports, { principal, params: { id } }) {
    await removeEndpoint(ports.webhooks, { teamId: principal.team.id, id })
    return { data: { id } }
  },
})

export const testWebhook = route({
  method: 'post',
  path: '/v1/webhooks/{id}/test',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description:
    'Posts an event about a message that does not exist (its id is all zeros) and returns the result of a single attempt. Also works for a disabled endpoint. At most five tests of an endpoint run at once. More are refused with `rate_limited`.',
  params: { id: endpointId },
  answers: { 200: data('The delivery with its result.', webhookDelivery) },
  errors: ['not_found'],
  handle: async (ports, { principal, params: { id } }) => ({
    data: presentDelivery(await testEndpoint(ports.webhooks, principal.team, id)),
  }),
})

export const rotateWebhookSecret = route({
  method: 'post',
  path: '/v1/webhooks/{id}/secret',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Replace the secret',
  description:
    'Replaces the secret of the endpoint. The new secret is shown only once. For 24 hours, deliveries are also signed with the old secret, so that you can update the receiver meanwhile. At most five old secrets sign at a time. Beyond that, replacing the secret is refused with `rate_limited`.',
  params: { id: endpointId },
  answers: { 200: data('The new secret.', z.strictObject({ secret: webhookSecret })) },
  errors: ['not_found'],
  handle: async (ports, { principal, params: { id } }) => ({
    data: { secret: await rotateEndpointSecret(ports.webhooks, { teamId: principal.team.id, id }) },
  }),
})
