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
  description: 'Lists past and pending deliveries of the endpoint, newest first. Deliveries are kept for 30 days.',
  params: { id: endpointId },
  query: deliveriesQuery,
  answers: { 200: data('The deliveries.', z.array(webhookDelivery)) },
  errors: ['validation_failed', 'not_found'],
  async handle(ports, { principal, params: { id }, query }) {
    const deliveries = await listDeliveries(
      ports.webhooks,
      { teamId: principal.team.id, id },
      toDeliveriesParams(query),
    )
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
    'Sends the delivery again immediately, with all retries if it fails. A test has no retries. The body and the header `webhook-id` stay the same.',
  params: { id: endpointId, deliveryId },
  answers: { 202: data('The pending delivery.', webhookDelivery) },
  errors: ['not_found', 'endpoint_inactive'],
  handle: async (ports, { principal, params }) => ({
    data: presentDelivery(
      await replayDelivery(ports.webhooks, { teamId: principal.team.id, id: params.id }, params.deliveryId),
    ),
  }),
})

export const replayFailedWebhookDeliveries = route({
  method: 'post',
  path: '/v1/webhooks/{id}/deliveries/replay',
  access: 'api.full',
  tag: 'Webhooks',
  summary: 'Send all failed deliveries again',
  description: 'Sends again all deliveries that have failed so far, except tests.',
  params: { id: endpointId },
  query: replayQuery,
  answers: {
    202: data(
      'The number of deliveries.',
      z.strictObject({ replayed: count.meta({ description: 'How many deliveries are sent again.' }) }),
    ),
  },
  errors: ['validation_failed', 'not_found', 'endpoint_inactive'],
  handle: async (ports, { principal, params: { id } }) => ({
    data: { replayed: await replayFailed(ports.webhooks, { teamId: principal.team.id, id }) },
  }),
})
