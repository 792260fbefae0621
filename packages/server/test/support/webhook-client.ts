import type { WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { ask } from './ask.ts'

type Wish = { url: string; mailbox?: string; tag?: string }

/** The webhook routes with one key. Every response is expected to be a success. */
export function webhookClient(url: string, key: string) {
  async function send<Data>(method: string, path: string, body?: object): Promise<Data> {
    const answer = await ask<{ data: Data }>(`${url}/v1/webhooks${path}`, {
      key,
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body.data
  }
  return {
    add: (wish: Wish) => send<{ endpoint: WebhookEndpoint; secret: string }>('POST', '', wish),
    list: () => send<WebhookEndpoint[]>('GET', ''),
    change: (id: string, change: { active?: boolean; url?: string }) => send<unknown>('PATCH', `/${id}`, change),
    rotate: (id: string) => send<{ secret: string }>('POST', `/${id}/secret`),
    test: (id: string) => send<WebhookDelivery>('POST', `/${id}/test`),
    remove: (id: string) => send<unknown>('DELETE', `/${id}`),
    deliveries: (id: string, query = '') => send<WebhookDelivery[]>('GET', `/${id}/deliveries?${query}`),
    replay: (id: string, deliveryId: string) => send<WebhookDelivery>('POST', `/${id}/deliveries/${deliveryId}/replay`),
  }
}
