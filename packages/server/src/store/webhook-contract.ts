import { expect } from 'vitest'
import { describeEndpoints } from './endpoint-contract.ts'
import { describeSending } from './sending-contract.ts'
import { addMailbox, addTeam, messageFor, newId } from './store-contract.ts'
import type { Mailbox } from './mailboxes.ts'
import type { NewMessage } from './messages.ts'
import type { Store } from './store.ts'
import type { AttemptRecord, EndpointKey, EndpointLimits, LeasedDelivery, NewEndpoint } from './webhooks.ts'

export const NOW = Date.now()
const LEASE_MS = 60_000
export const LIMITS: EndpointLimits = { perEndpoint: 5, oneAtATime: [] }

/** What every store must do for endpoints and their deliveries. */
export function describeWebhooks(open: () => Promise<Store>): void {
  describeEndpoints(open)
  describeSending(open)
}

/** A store with a team and a mailbox, and helpers for the tests. Times are close to now, because PostgreSQL uses its own clock. */
export async function startWebhooks(open: () => Promise<Store>) {
  const store = await open()
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const addEndpoint = async (values: Partial<NewEndpoint> = {}) => {
    const added = await store.addEndpoint({ ...newEndpoint(team.id), ...values }, 20)
    if (typeof added === 'string') throw new Error(added)
    return added
  }
  const deliver = (endpointIds: string[], messages = 1) =>
    Promise.all(Array.from({ length: messages }, () => addWithEvent(store, mailbox, endpointIds)))
  const list = (endpointId: string, status: 'pending' | 'success' | 'failed' | null = null) =>
    store.listDeliveries({ teamId: team.id, id: endpointId }, { limit: 100, offset: 0, status })
  const attempts = ({ id }: { id: string }) => store.listAttempts({ teamId: team.id, id })
  const lease = (options: Partial<Parameters<Store['leaseDeliveries']>[0]> = {}) =>
    store.leaseDeliveries({ ...LIMITS, owner: 'one', at: NOW, leaseMs: LEASE_MS, limit: 50, ...options })
  return { store, team, mailbox, addEndpoint, deliver, list, attempts, lease }
}

export function newEndpoint(teamId: string): NewEndpoint {
  const id = newId()
  return {
    id,
    teamId,
    url: `https://shop.example/${id}`,
    description: null,
    mailbox: null,
    tag: null,
    secret: `encrypted ${id}`,
    secretMasked: 'whsec_ab…yz=',
    createdAt: NOW,
  }
}

export function eventFor(endpointIds: string[]) {
  const deliveries = endpointIds.map((endpointId) => ({ id: newId(), endpointId }))
  return { id: newId(), body: '{"event":"email.received"}', deliveries }
}

async function addWithEvent(
  store: Store,
  mailbox: Mailbox,
  endpointIds: string[],
): Promise<NewMessage & { eventId: string }> {
  const message = messageFor(mailbox, { storedAt: NOW })
  const event = eventFor(endpointIds)
  expect(await store.addMessage(mailbox, message, event)).toEqual(expect.any(Number))
  return { ...message, eventId: event.id }
}

export function attemptOf({ id, endpoint }: LeasedDelivery, values: Partial<AttemptRecord> = {}): AttemptRecord {
  const { teamId, id: endpointId, url } = endpoint
  const result = { httpStatus: 200, responseBody: 'ok', latencyMs: 3, error: null }
  return {
    teamId,
    endpointId,
    deliveryId: id,
    url,
    at: NOW,
    ...result,
    outcome: { status: 'success' },
    disableEndpoint: null,
    ...values,
  }
}

export function testFor({ teamId, id: endpointId }: EndpointKey) {
  const result = { httpStatus: 500, responseBody: null, latencyMs: 1, error: 'The endpoint responded with 500.' }
  const event = { event: 'email.received', eventId: newId(), body: '{}' }
  return { teamId, endpointId, id: newId(), ...event, status: 'failed' as const, at: NOW, ...result }
}
