import { z } from 'zod'
import { listDeliveries, replayDelivery, replayFailed } from '../../manage/endpoints.ts'
import { presentDelivery } from '../present.ts'
import { count } from '../shapes/shape-parts.ts'
import { webhookDelivery } from '../shapes/webhook-shapes.ts'
import { deliveriesQuery, replayQuery, toDeliveriesParams } from '../webhook-params.ts'
import { deliveryId, endpointId } from './path-parameters.ts'
import { data, route } from './route.ts'

export const listWebhookDeliveries = route({
  method: 'get',
  path: '/v1/webhooks/{id}/deliveries',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'List deliveries',
  description: 'What was and will be sent to the endpoint, newest first. Kept for 30 days.',
  params: { id: endpointId },
  query: deliveriesQuery,
  answers: { 200: data('The deliveries.', z.array(webhookDelivery)) },
  errors: ['validation_failed', 'not_found'],
  async handle(ports, { principal, params: { id }, query }) {
    const deliveries = await listDeliveries(ports, { teamId: principal.team.id, id }, toDeliveriesParams(query))
    return { data: deliveries.map(presentDelivery) }
  },
})

export const replayWebhookDelivery = route({
  method: 'post',
  path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'At once, and with all retries if it fails; a test has none. The body and the header `webhook-id` are those it had before.',
  params: { id: endpointId, deliveryId },
  answers: { 202: data('The delivery, pending.', webhookDelivery) },
  errors: ['not_found', 'endpoint_inactive'],
  handle: async (ports, { principal, params }) => ({
    data: presentDelivery(await replayDelivery(ports, { teamId: principal.team.id, id: params.id }, params.deliveryId)),
  }),
})

export const replayFailedWebhookDeliveries = route({
  method: 'post',
  path: '/v1/webhooks/{id}/deliveries/replay',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Send all failed deliveries again',
  description: 'Everything that has failed until now, but for tests.',
  params: { id: endpointId },
  query: replayQuery,
  answers: {
    202: data('How many.', z.strictObject({ replayed: count.meta({ description: 'How many are sent again.' }) })),
  },
  errors: ['validation_failed', 'not_found', 'endpoint_inactive'],
  handle: async (ports, { principal, params: { id } }) => ({
    data: { replayed: await replayFailed(ports, { teamId: principal.team.id, id }) },
  }),
})
