import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'

export const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_of_the_tests',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
  STRIPE_PRICE_PRO: 'price_pro',
}

type Asked = { method: string; path: string; authorization: string | undefined; fields: Record<string, string> }

/** Responds as Stripe documents it, for the calls that we make. Call it at the top level of a file. */
export async function startPaymentProvider() {
  const asked: Asked[] = []
  /** Statuses of each customer's subscriptions. */
  const subscriptions = new Map<string, string[]>()
  let isDown = false
  /** Responses that are determined but not sent yet. */
  let held: (() => void)[] | null = null

  const server = createServer((request, response) => void answerTo(request, response))

  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://provider.test')
    const fields = Object.fromEntries(new URLSearchParams(await text(request)))
    const { method = '', headers } = request
    asked.push({ method, path: pathname, authorization: headers.authorization, fields })
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (isDown) return answer(500, { error: { type: 'api_error', message: 'An error occurred.' } })
    if (headers.authorization !== `Bearer ${STRIPE.STRIPE_SECRET_KEY}`) {
      return answer(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided.' } })
    }
    if (method === 'POST' && pathname === '/v1/checkout/sessions') {
      return answer(200, { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.test/c/pay/cs_1' })
    }
    if (method === 'POST' && pathname === '/v1/billing_portal/sessions') {
      return answer(200, { object: 'billing_portal.session', url: `https://billing.stripe.test/${fields['customer']}` })
    }
    if (method === 'GET' && pathname === '/v1/subscriptions') {
      const found = subscriptions.get(searchParams.get('customer') ?? '') ?? []
      const data = found.map((status, index) => ({ id: `sub_${index}`, object: 'subscription', status }))
      const give = () => answer(200, { object: 'list', data, has_more: false })
      if (!held) return give()
      held.push(give)
      return
    }
    return answer(404, { error: { type: 'invalid_request_error', message: `Unrecognized request URL (${pathname}).` } })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0

  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    subscriptions,
    /** From now on, requests for subscriptions wait until the functions in this list are called. */
    hold(): (() => void)[] {
      held = []
      return held
    },
    goOn() {
      held = null
    },
    setDown(value: boolean) {
      isDown = value
    },
  }
}

/** The header with which Stripe signs its requests. */
export function stripeSignature(body: string, { at = Date.now(), secret = STRIPE.STRIPE_WEBHOOK_SECRET } = {}): string {
  const time = Math.floor(at / 1000)
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`
}
