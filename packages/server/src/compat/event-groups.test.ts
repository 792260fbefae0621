import { expect, onTestFinished, test } from 'vitest'
import type { Principal } from '../domain/access.ts'
import { createSubscriptions } from '../read/subscriptions.ts'
import type { EventClient } from './event-client.ts'
import { createEventGroups, EVENT_LIMITS } from './event-groups.ts'

const TEAM = { id: 'team', name: 'Team', plan: 'pro' as const, retentionDays: null, domain: null }

function start(limits: Partial<typeof EVENT_LIMITS>, subscriptionsMax = 100) {
  const store = {
    newestPosition: () => Promise.resolve(0),
    findTeam: () => Promise.resolve(TEAM),
    findPrincipal: (keyHash: string) => Promise.resolve(principalOf(keyHash)),
  }
  const followers = { follow: () => Promise.resolve(() => {}) }
  const subscriptions = createSubscriptions(
    // The store and the followers have their own tests, so these are doubles, with what a connection without mail uses.
    { store: store as never, followers, now: Date.now },
    { perUser: 50, perProcess: subscriptionsMax },
  )
  const ports = { store, now: Date.now, messages: { subscriptions }, keys: { store }, observe: { log: console } }
  const sender = { newState: () => null, withMarks: false, tell: () => Promise.resolve() }
  const groups = createEventGroups<null>(ports as never, sender, { ...EVENT_LIMITS, ...limits })
  onTestFinished(() => {
    subscriptions.close()
    groups.close()
  })
  const opened: string[] = []
  async function connect(keyId: string): Promise<void> {
    const principal = principalOf(keyId)
    const begun = await groups.begin(principal)
    groups.connect(principal, begun, () => {
      opened.push(keyId)
      return clientDouble()
    })
  }
  return { connect, opened }
}

test.each([
  ['of one key', { perKey: 3 }, ['a']],
  ['of all keys', { perProcess: 3 }, ['a', 'b']],
])('connections that open at once do not pass the limit %s, and others are refused before', async (_, limits, keys) => {
  const { connect, opened } = start(limits)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_unused, index) => connect(keys[index % keys.length]!)),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  expect(opened).toHaveLength(3)
  await expect(connect('a')).rejects.toMatchObject({ code: 'too_many_streams' })
})

test('a key beyond the subscriptions of the process is refused before its connection opens', async () => {
  const { connect, opened } = start({}, 2)
  await Promise.allSettled(['a', 'b', 'c', 'd'].map(connect))
  expect(opened).toEqual(['a', 'b'])
  await expect(connect('e')).rejects.toMatchObject({ code: 'server_busy' })
  // Keys that are connected share their subscription.
  await connect('a')
  expect(opened).toEqual(['a', 'b', 'a'])
})

function principalOf(keyId: string): Principal {
  const scopes: Principal['scopes'] = ['api.full']
  return { keyId, keyHash: keyId, keyName: keyId, scopes, expiresAt: null, team: TEAM, mailbox: null }
}

function clientDouble(): EventClient {
  const listeners: (() => void)[] = []
  const close = () => listeners.forEach((listener) => listener())
  return {
    send: () => {},
    waitingBytes: () => 0,
    ping: () => {},
    close,
    cut: close,
    onClose: (listener) => listeners.push(listener),
  }
}
