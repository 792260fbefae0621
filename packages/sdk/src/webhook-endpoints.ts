import { requestOptions, type RequestOptions, type Transport } from './transport.ts'
import type { WebhookDelivery, WebhookEndpoint } from './wire.ts'

export type NewWebhook = { url: string; description?: string; mailbox?: string; tag?: string }
export type WebhookChanges = { active?: boolean; url?: string; description?: string }
export type DeliveriesQuery = { limit?: number; offset?: number; status?: WebhookDelivery['status'] }

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>

const pathOf = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`

export function createWebhookEndpoints(transport: Transport) {
  return {
    /**
     * The endpoints of the team, newest first.
     *
     * @example
     * const endpoints = await mailhatch.webhooks.list()
     */
    list: (options: RequestOptions = {}): Promise<WebhookEndpoint[]> =>
      transport.data({ ...requestOptions(options), path: '/v1/webhooks' }),

    /**
     * Adds an endpoint. `secret` verifies its deliveries and is returned only here.
     *
     * @example
     * const { endpoint, secret } = await mailhatch.webhooks.create({ url: 'https://shop.example/hooks/mail' })
     */
    create: (
      webhook: NewWebhook,
      options: RequestOptions = {},
    ): Promise<{ endpoint: WebhookEndpoint; secret: string }> =>
      transport.data({ ...requestOptions(options), method: 'POST', path: '/v1/webhooks', body: webhook }),

    /**
     * Enables or disables an endpoint, or changes its URL or description.
     *
     * @example
     * await mailhatch.webhooks.update(endpoint.id, { active: false })
     */
    update: (id: string, changes: WebhookChanges, options: RequestOptions = {}): Promise<WebhookEndpoint> =>
      transport.data({ ...requestOptions(options), method: 'PATCH', path: pathOf(id), body: changes }),

    /**
     * Deletes an endpoint.
     *
     * @example
     * await mailhatch.webhooks.delete(endpoint.id)
     */
    delete: (id: string, options: RequestOptions = {}): Promise<{ id: string }> =>
      transport.data({ ...requestOptions(options), method: 'DELETE', path: pathOf(id) }),

    /**
     * Sends a test event once and returns the result.
     *
     * @example
     * const { status, httpStatus } = await mailhatch.webhooks.test(endpoint.id)
     */
    test: (id: string, options: RequestOptions = {}): Promise<WebhookDelivery> =>
      transport.data({ ...requestOptions(options), method: 'POST', path: `${pathOf(id)}/test` }),

    /**
     * Replaces the secret. For 24 hours, deliveries are also signed with the old one.
     *
     * @example
     * const { secret } = await mailhatch.webhooks.rotateSecret(endpoint.id)
     */
    rotateSecret: (id: string, options: RequestOptions = {}): Promise<{ secret: string }> =>
      transport.data({ ...requestOptions(options), method: 'POST', path: `${pathOf(id)}/secret` }),

    /**
     * The deliveries of an endpoint, newest first.
     *
     * @example
     * const failed = await mailhatch.webhooks.deliveries(endpoint.id, { status: 'failed' })
     */
    deliveries: (id: string, query: DeliveriesQuery = {}, options: RequestOptions = {}): Promise<WebhookDelivery[]> =>
      transport.data({ ...requestOptions(options), path: `${pathOf(id)}/deliveries`, query }),

    /**
     * Sends one delivery again.
     *
     * @example
     * await mailhatch.webhooks.replay(endpoint.id, delivery.id)
     */
    replay: (id: string, deliveryId: string, options: RequestOptions = {}): Promise<WebhookDelivery> =>
      transport.data({
        ...requestOptions(options),
        method: 'POST',
        path: `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`,
      }),

    /**
     * Sends all failed deliveries again.
     *
     * @example
     * const { replayed } = await mailhatch.webhooks.replayFailed(endpoint.id)
     */
    replayFailed: (id: string, options: RequestOptions = {}): Promise<{ replayed: number }> =>
      transport.data({
        ...requestOptions(options),
        method: 'POST',
        path: `${pathOf(id)}/deliveries/replay`,
        query: { status: 'failed' },
      }),
  }
}
