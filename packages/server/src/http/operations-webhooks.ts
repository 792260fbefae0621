import type { Operation, Refusal } from './operations.ts'
import { ANSWERS } from './schemas.ts'
import { deliveriesQuery, endpointBody, endpointChangeBody, replayQuery } from './webhook-params.ts'

const ENDPOINT_ID = { description: 'Id of the endpoint.', example: '0199a3c2-5b10-7e0d-8f11-2c4d6e8fa013' }
const DELIVERY_ID = { description: 'Id of the delivery.', example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24' }
const INVALID_BODY: Refusal = {
  code: 'validation_failed',
  sentence: 'The body is not valid.',
  details: { url: ['is required'] },
}
const JSON_TYPE = 'application/json'
const BODY_ERRORS: Refusal[] = [
  INVALID_BODY,
  'webhook_url_insecure',
  'webhook_url_private',
  'payload_too_large',
  'unsupported_media_type',
]

export const WEBHOOK_OPERATIONS: Operation[] = [
  {
    id: 'listWebhooks',
    method: 'get',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    description: 'The team’s endpoints, newest first.',
    access: 'full key',
    success: [{ status: 200, description: 'The endpoints.', contentType: JSON_TYPE, schema: ANSWERS.webhookEndpoints }],
    errors: [],
  },
  {
    id: 'createWebhook',
    method: 'post',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'Create a webhook endpoint',
    description:
      'From now on, mail that comes in is posted to the URL as a signed `email.received` event: all of it, or that for one mailbox, tag or both, by their names. The secret is shown this once. A team has at most 20 endpoints.',
    access: 'full key',
    body: endpointBody,
    success: [
      {
        status: 201,
        description: 'The endpoint and its secret.',
        contentType: JSON_TYPE,
        schema: ANSWERS.newWebhookEndpoint,
      },
    ],
    errors: [...BODY_ERRORS, 'webhooks_unavailable', 'webhook_limit', 'webhook_exists'],
  },
  {
    id: 'updateWebhook',
    method: 'patch',
    path: '/v1/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Change a webhook endpoint, or switch it on or off',
    description:
      'What is left out stays. Switched off, it is told of nothing, and what is pending fails with `endpoint inactive`; switched on, its failures are forgotten.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID },
    body: endpointChangeBody,
    success: [{ status: 200, description: 'The endpoint.', contentType: JSON_TYPE, schema: ANSWERS.webhookEndpoint }],
    errors: [...BODY_ERRORS, 'not_found', 'webhook_exists'],
  },
  {
    id: 'deleteWebhook',
    method: 'delete',
    path: '/v1/webhooks/{id}',
    tag: 'Webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Its deliveries go too, also those that are pending.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID },
    success: [{ status: 200, description: 'What was deleted.', contentType: JSON_TYPE, schema: ANSWERS.removed }],
    errors: ['not_found'],
  },
  {
    id: 'testWebhook',
    method: 'post',
    path: '/v1/webhooks/{id}/test',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description:
      'Posts an event about a message that there is not (its id is all zeros) and answers with what came back, after one attempt. Works for an inactive endpoint, too. At most five tests of an endpoint run at once; more are refused with `rate_limited`.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID },
    success: [{ status: 200, description: 'What came back.', contentType: JSON_TYPE, schema: ANSWERS.webhookDelivery }],
    errors: ['not_found'],
  },
  {
    id: 'rotateWebhookSecret',
    method: 'post',
    path: '/v1/webhooks/{id}/secret',
    tag: 'Webhooks',
    summary: 'Replace the secret',
    description:
      'Gives the endpoint a new secret, shown this once. For 24 hours deliveries are signed with the old one as well, so that the receiver can be changed meanwhile. At most five old ones sign at a time; then further changes are refused with `rate_limited`.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID },
    success: [{ status: 200, description: 'The new secret.', contentType: JSON_TYPE, schema: ANSWERS.webhookSecret }],
    errors: ['not_found'],
  },
  {
    id: 'listWebhookDeliveries',
    method: 'get',
    path: '/v1/webhooks/{id}/deliveries',
    tag: 'Webhooks',
    summary: 'List deliveries',
    description: 'What was and will be sent to the endpoint, newest first. Kept for 30 days.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID },
    query: deliveriesQuery,
    success: [
      { status: 200, description: 'The deliveries.', contentType: JSON_TYPE, schema: ANSWERS.webhookDeliveries },
    ],
    errors: ['validation_failed', 'not_found'],
  },
  {
    id: 'replayWebhookDelivery',
    method: 'post',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    tag: 'Webhooks',
    summary: 'Send a delivery again',
    description:
      'At once, and with all retries if it fails; a test has none. The body and the header `webhook-id` are those it had before.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID, deliveryId: DELIVERY_ID },
    success: [
      { status: 202, description: 'The delivery, pending.', contentType: JSON_TYPE, schema: ANSWERS.webhookDelivery },
    ],
    errors: ['not_found', 'endpoint_inactive'],
  },
  {
    id: 'replayFailedWebhookDeliveries',
    method: 'post',
    path: '/v1/webhooks/{id}/deliveries/replay',
    tag: 'Webhooks',
    summary: 'Send all failed deliveries again',
    description: 'Everything that has failed until now, but for tests.',
    access: 'full key',
    pathParameters: { id: ENDPOINT_ID },
    query: replayQuery,
    success: [{ status: 202, description: 'How many.', contentType: JSON_TYPE, schema: ANSWERS.replayed }],
    errors: ['validation_failed', 'not_found', 'endpoint_inactive'],
  },
]
