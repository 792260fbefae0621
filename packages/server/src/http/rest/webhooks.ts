import type { WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import {
  changeEndpoint,
  createEndpoint,
  listDeliveries,
  removeEndpoint,
  replayDelivery,
  replayFailed,
  rotateEndpointSecret,
  testEndpoint,
  type EndpointPorts,
} from '../../manage/endpoints.ts'
import type { Delivery, Endpoint } from '../../store/webhooks.ts'
import type { ApiEnvironment } from '../app.ts'
import { readBody } from '../body.ts'
import { isoTime } from '../present.ts'
import { parseQuery, searchParams } from '../query.ts'
import { requireChange } from '../view.ts'
import {
  endpointBody,
  endpointChangeBody,
  readDeliveriesParams,
  replayQuery,
  toChange,
  toWish,
} from '../webhook-params.ts'

export function addWebhookRoutes(app: Hono<ApiEnvironment>, ports: EndpointPorts): void {
  app.get('/v1/webhooks', async (context) => {
    const { team } = requireFull(context)
    return context.json({ data: (await ports.store.listEndpoints(team.id)).map(presentEndpoint) })
  })

  app.post('/v1/webhooks', async (context) => {
    const wish = toWish(ports, await readBody(context.req.raw, endpointBody))
    const { team } = requireFull(context)
    const { endpoint, secret } = await createEndpoint(ports, team, wish)
    return context.json({ data: { endpoint: presentEndpoint(endpoint), secret } }, 201)
  })

  app.patch('/v1/webhooks/:id', async (context) => {
    const change = toChange(ports, await readBody(context.req.raw, endpointChangeBody))
    const changed = await changeEndpoint(ports, readWhere(context), change)
    return context.json({ data: presentEndpoint(changed) })
  })

  app.delete('/v1/webhooks/:id', async (context) => {
    const where = readWhere(context)
    await removeEndpoint(ports, where)
    return context.json({ data: { id: where.id } })
  })

  app.post('/v1/webhooks/:id/test', async (context) => {
    const { team } = requireFull(context)
    const delivery = await testEndpoint(ports, team, readId(context.req.param('id')))
    return context.json({ data: presentDelivery(delivery) })
  })

  app.post('/v1/webhooks/:id/secret', async (context) => {
    const secret = await rotateEndpointSecret(ports, readWhere(context))
    return context.json({ data: { secret } })
  })

  app.get('/v1/webhooks/:id/deliveries', async (context) => {
    const page = readDeliveriesParams(searchParams(context.req.url))
    const deliveries = await listDeliveries(ports, readWhere(context), page)
    return context.json({ data: deliveries.map(presentDelivery) })
  })

  app.post('/v1/webhooks/:id/deliveries/replay', async (context) => {
    parseQuery(replayQuery, searchParams(context.req.url))
    const replayed = await replayFailed(ports, readWhere(context))
    return context.json({ data: { replayed } }, 202)
  })

  app.post('/v1/webhooks/:id/deliveries/:deliveryId/replay', async (context) => {
    const where = readWhere(context)
    const delivery = await replayDelivery(ports, where, readId(context.req.param('deliveryId')))
    return context.json({ data: presentDelivery(delivery) }, 202)
  })
}

export function presentEndpoint(endpoint: Endpoint): WebhookEndpoint {
  const { id, url, description, secretMasked, mailbox, tag, isActive, disabledReason, createdAt, updatedAt } = endpoint
  return {
    id,
    url,
    description,
    secretMasked,
    events: ['email.received'],
    mailbox,
    tag,
    active: isActive,
    disabledReason,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

export function presentDelivery(delivery: Delivery): WebhookDelivery {
  return {
    id: delivery.id,
    event: delivery.event,
    messageId: delivery.messageId,
    status: delivery.status,
    httpStatus: delivery.httpStatus,
    responseBody: delivery.responseBody,
    latencyMs: delivery.latencyMs,
    attempt: delivery.attempt,
    nextAttemptAt: delivery.nextAttemptAt === null ? null : isoTime(delivery.nextAttemptAt),
    error: delivery.error,
    createdAt: isoTime(delivery.createdAt),
  }
}

function requireFull(context: Context<ApiEnvironment>) {
  const principal = context.get('principal')
  requireChange(principal)
  return principal
}

/** The endpoint that the path names, within the team that asks. */
function readWhere(context: Context<ApiEnvironment, '/v1/webhooks/:id'>): { teamId: string; id: string } {
  const { team } = requireFull(context)
  return { teamId: team.id, id: readId(context.req.param('id')) }
}

function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isUuid(id)) throw new AppError('not_found', 'Not found')
  return id
}
