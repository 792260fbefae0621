import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { ask } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { startPaymentProvider, STRIPE, stripeSignature } from './support/payment-provider.ts'
import { openPeople, refusal } from './support/people.ts'

const provider = await startPaymentProvider()
const server = await startFileServer({ ...STRIPE, STRIPE_API_URL: provider.url, APP_URL: 'http://app.people.test/' })
const { newTeam, store } = await openPeople(server)

function post(body: string, signature: string | null) {
  const headers = { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }) }
  return ask(`${server.url}/billing/webhook`, { method: 'POST', headers, body })
}

async function tell(type: string, object: object, id = `evt_${randomUUID()}`): Promise<number> {
  const body = JSON.stringify({ id, object: 'event', type, data: { object } })
  return (await post(body, stripeSignature(body))).status
}

const planOf = async (teamId: string) => (await store.findTeam(teamId))!.plan

/** A team that has paid. */
async function newCustomer() {
  const { owner, team } = await newTeam('starter')
  const customer = `cus_${randomUUID()}`
  provider.subscriptions.set(customer, ['active'])
  expect(await tell('checkout.session.completed', { client_reference_id: team.id, customer })).toBe(200)
  expect(await planOf(team.id)).toBe('pro')
  return { owner, team, customer }
}

test('an owner is redirected to the checkout, and has the plan after the payment', async () => {
  const { owner, team } = await newTeam('starter')
  expect(await owner.call.billing.status.query()).toEqual({ isAvailable: true, plan: 'starter', isCustomer: false })
  const { url } = await owner.call.billing.checkout.mutate()
  expect(url).toBe('https://checkout.stripe.test/c/pay/cs_1')
  expect(provider.asked.at(-1)).toEqual({
    method: 'POST',
    path: '/v1/checkout/sessions',
    authorization: `Bearer ${STRIPE.STRIPE_SECRET_KEY}`,
    fields: {
      mode: 'subscription',
      'line_items[0][price]': 'price_pro',
      'line_items[0][quantity]': '1',
      client_reference_id: team.id,
      customer_email: owner.email,
      success_url: 'http://app.people.test/settings/billing?checkout=success',
      cancel_url: 'http://app.people.test/settings/billing?checkout=cancelled',
    },
  })
  expect(await planOf(team.id)).toBe('starter')
  expect(await refusal(owner.call.billing.portal.mutate())).toMatchObject({ code: 'billing_unavailable' })

  provider.subscriptions.set('cus_1', ['active'])
  expect(await tell('checkout.session.completed', { client_reference_id: team.id, customer: 'cus_1' })).toBe(200)
  expect(await owner.call.billing.status.query()).toEqual({ isAvailable: true, plan: 'pro', isCustomer: true })
  expect(await owner.call.billing.portal.mutate()).toEqual({ url: 'https://billing.stripe.test/cus_1' })
  // A team cannot pay twice.
  expect(await owner.call.billing.checkout.mutate()).toEqual({ url: 'https://billing.stripe.test/cus_1' })
})

test('the current subscription decides, whatever the events say and in any order', async () => {
  const { team, customer } = await newCustomer()
  const states: [string[], 'pro' | 'starter'][] = [
    [['past_due'], 'pro'],
    [['canceled'], 'starter'],
    [['trialing'], 'pro'],
    [['unpaid'], 'starter'],
    [['canceled', 'active'], 'pro'],
    [['incomplete_expired', 'paused'], 'starter'],
    [[], 'starter'],
  ]
  for (const [statuses, plan] of states) {
    provider.subscriptions.set(customer, statuses)
    expect(await tell('customer.subscription.updated', { customer, status: 'active' })).toBe(200)
    expect([statuses, await planOf(team.id)]).toEqual([statuses, plan])
  }
})

test('of two concurrent events, the one with the older response does not win', async () => {
  const { team, customer } = await newCustomer()
  provider.subscriptions.set(customer, ['canceled'])
  const late = provider.hold()
  const earlier = tell('customer.subscription.deleted', { customer })
  await vi.waitFor(() => expect(late).toHaveLength(1))
  provider.goOn()
  provider.subscriptions.set(customer, ['active'])
  expect(await tell('customer.subscription.created', { customer })).toBe(200)
  late[0]!()
  expect(await earlier).toBe(200)
  expect(await planOf(team.id)).toBe('pro')
})

test('a repeated event changes nothing', async () => {
  const { team, customer } = await newCustomer()
  provider.subscriptions.set(customer, ['canceled'])
  const id = `evt_${randomUUID()}`
  expect(await tell('customer.subscription.deleted', { customer }, id)).toBe(200)
  expect(await planOf(team.id)).toBe('starter')
  provider.subscriptions.set(customer, ['active'])
  expect(await tell('customer.subscription.deleted', { customer }, id)).toBe(200)
  expect(await planOf(team.id)).toBe('starter')
  expect(await tell('customer.subscription.created', { customer })).toBe(200)
  expect(await planOf(team.id)).toBe('pro')
})

test('an event without a recent signature of the provider is refused', async () => {
  const { team, customer } = await newCustomer()
  provider.subscriptions.set(customer, ['canceled'])
  const body = JSON.stringify({
    id: 'evt_forged',
    type: 'customer.subscription.deleted',
    data: { object: { customer } },
  })
  const minutes = (count: number) => Date.now() + count * 60_000
  const refused = [
    null,
    '',
    't=,v1=',
    `t=${Math.floor(Date.now() / 1000)},v1=`,
    `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
    stripeSignature(body, { secret: 'another' }),
    stripeSignature(`${body} `),
    stripeSignature(body, { at: minutes(-6) }),
    stripeSignature(body, { at: minutes(6) }),
    stripeSignature(body).replace('v1=', 'v0='),
  ]
  for (const signature of refused) expect([signature, (await post(body, signature)).status]).toEqual([signature, 401])
  expect(await planOf(team.id)).toBe('pro')
  const [time, signature] = stripeSignature(body, { at: minutes(-4) }).split(',')
  // Two signatures during a secret rotation.
  expect((await post(body, `${time},v1=${'0'.repeat(64)},${signature}`)).status).toBe(200)
  expect(await planOf(team.id)).toBe('starter')
})

test('an unknown event is accepted and changes nothing', async () => {
  expect(await tell('invoice.paid', { customer: 'cus_unknown' })).toBe(200)
  expect(await tell('customer.subscription.updated', { customer: 'cus_unknown' })).toBe(200)
  expect(await tell('checkout.session.completed', { client_reference_id: 'nobody', customer: 'cus_x' })).toBe(200)
  const body = '{"id":5}'
  expect((await post(body, stripeSignature(body))).status).toBe(400)
})

test('a plan set by the operator is not changed by billing', async () => {
  const { team, customer } = await newCustomer()
  await server.command('teams', 'plan', team.id, 'enterprise')
  provider.subscriptions.set(customer, ['canceled'])
  expect(await tell('customer.subscription.deleted', { customer })).toBe(200)
  expect(await planOf(team.id)).toBe('enterprise')
})

test('while the provider is down users see an error, and the provider repeats its event later', async () => {
  const { owner, team, customer } = await newCustomer()
  provider.subscriptions.set(customer, ['canceled'])
  provider.setDown(true)
  const id = `evt_${randomUUID()}`
  expect(await tell('customer.subscription.deleted', { customer }, id)).toBe(502)
  expect(await refusal(owner.call.billing.portal.mutate())).toEqual({
    status: 502,
    code: 'provider_failed',
    message: 'The payment provider responded with 500: An error occurred.',
  })
  provider.setDown(false)
  expect(await planOf(team.id)).toBe('pro')
  expect(await tell('customer.subscription.deleted', { customer }, id)).toBe(200)
  expect(await planOf(team.id)).toBe('starter')
})
