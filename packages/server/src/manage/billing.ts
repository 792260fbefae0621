import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Log } from '../observe/log.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import { replacePlan } from './plans.ts'
import { callStripe, isSignedByStripe, STRIPE_API_URL, type StripeSettings } from './stripe.ts'

const DAY_MS = 86_400_000
/** The payment provider retries an event for at most three days. */
const EVENTS_KEPT_MS = 30 * DAY_MS
/** The provider reminds customers who pay late. The plan ends when it gives up. */
const PAYING = ['active', 'trialing', 'past_due']
/** Concurrent events can apply an outdated status, so each event checks again until nothing changes. */
const CHECKS_MAX = 3

export type Billing = {
  isCustomer(team: Team): Promise<boolean>
  /** URL where the team subscribes to the pro plan. */
  checkout(team: Team, email: string): Promise<string>
  /** URL where a paying team changes or cancels its subscription. */
  portal(team: Team): Promise<string>
  /** Handles an event posted by the provider. Throws 401 unless it is signed. Repeating an event changes nothing. */
  take(body: string, signature: string | null): Promise<void>
}

type Ports = {
  store: Pick<
    Store,
    | 'findTeam'
    | 'updateTeam'
    | 'findBillingCustomer'
    | 'findTeamOfCustomer'
    | 'setBillingCustomer'
    | 'hasBillingEvent'
    | 'addBillingEvent'
  >
  appUrl: string
  now: () => number
  log: Pick<Log, 'info' | 'warn'>
}

const eventSchema = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  data: z.object({
    object: z.object({ customer: z.string().nullish(), client_reference_id: z.string().nullish() }),
  }),
})

type Event = z.output<typeof eventSchema>

type BillingConfig = {
  stripeSecretKey: string | null
  stripeWebhookSecret: string | null
  stripePricePro: string | null
  stripeApiUrl: string | null
}

/** Null unless all required settings are set. */
export function openBilling(ports: Ports, config: BillingConfig): Billing | null {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripePricePro: pricePro } = config
  if (!secretKey || !webhookSecret || !pricePro) return null
  return createBilling(ports, { secretKey, webhookSecret, pricePro, apiUrl: config.stripeApiUrl ?? STRIPE_API_URL })
}

function createBilling(ports: Ports, settings: StripeSettings): Billing {
  const { store, now, log } = ports
  const page = `${ports.appUrl.replace(/\/+$/, '')}/settings/billing`

  async function portal(team: Team): Promise<string> {
    const customer = await store.findBillingCustomer(team.id)
    if (!customer) throw new AppError('billing_unavailable', 'This team has not paid for anything yet.')
    const fields = { customer, return_url: page }
    return (await callStripe<{ url: string }>(settings, '/v1/billing_portal/sessions', fields)).url
  }

  async function teamOf({ type, data: { object } }: Event): Promise<{ team: Team; customer: string } | null> {
    const { customer, client_reference_id: teamId } = object
    if (!customer) return null
    if (type === 'checkout.session.completed' && teamId) {
      const team = await store.findTeam(teamId)
      if (team) await store.setBillingCustomer(team.id, customer)
      return team && { team, customer }
    }
    const team = type.startsWith('customer.subscription.') ? await store.findTeamOfCustomer(customer) : null
    return team && { team, customer }
  }

  /** Asks for the current status, because events arrive late and in any order. */
  async function isPaying(customer: string): Promise<boolean> {
    const query = new URLSearchParams({ customer, status: 'all', limit: '100' })
    const { data } = await callStripe<{ data: { status: string }[] }>(settings, `/v1/subscriptions?${query}`, null)
    return data.some(({ status }) => PAYING.includes(status))
  }

  async function settle(teamId: string, customer: string): Promise<void> {
    for (let checks = 0; checks < CHECKS_MAX; checks++) {
      const plan = (await isPaying(customer)) ? 'pro' : 'starter'
      const team = await store.findTeam(teamId)
      // Only the operator sets or removes the enterprise plan.
      if (!team || team.plan === 'enterprise' || team.plan === plan) return
      if (await replacePlan({ store }, team, plan)) log.info({ teamId, plan }, 'changed a plan because of billing')
    }
    // The plan changed concurrently each time. The payment provider sends the event again later.
    throw new AppError('server_busy', 'The plan is being changed concurrently.', { headers: { 'retry-after': '10' } })
  }

  return {
    isCustomer: async (team) => (await store.findBillingCustomer(team.id)) !== null,

    async checkout(team, email) {
      const customer = await store.findBillingCustomer(team.id)
      // Prevents paying twice.
      if (customer && team.plan === 'pro') return portal(team)
      const fields = {
        mode: 'subscription',
        'line_items[0][price]': settings.pricePro,
        'line_items[0][quantity]': '1',
        client_reference_id: team.id,
        success_url: `${page}?checkout=success`,
        cancel_url: `${page}?checkout=cancelled`,
        ...(customer ? { customer } : { customer_email: email }),
      }
      return (await callStripe<{ url: string }>(settings, '/v1/checkout/sessions', fields)).url
    },

    portal,

    async take(body, signature) {
      const isSigned = isSignedByStripe(body, signature, { webhookSecret: settings.webhookSecret, now: now() })
      if (!isSigned) throw new AppError('unauthorized', 'Unauthorized')
      const event = readEvent(body)
      if (await store.hasBillingEvent(event.id)) return
      const found = await teamOf(event)
      if (found) await settle(found.team.id, found.customer)
      // Recorded last: the provider retries an event that failed before this point.
      await store.addBillingEvent({ id: event.id, at: now() }, now() - EVENTS_KEPT_MS)
    },
  }
}

function readEvent(body: string): Event {
  try {
    return eventSchema.parse(JSON.parse(body))
  } catch {
    throw new AppError('validation_failed', 'The body is not a valid event.')
  }
}
