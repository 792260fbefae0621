import { onTestFinished } from 'vitest'
import type { Principal } from '../../src/domain/access.ts'
import type { DoorPorts } from '../../src/compat/door.ts'
import type { EventClient } from '../../src/compat/event-client.ts'
import { createSubscriptions } from '../../src/read/subscriptions.ts'

const TEAM = { id: 'team', name: 'Team', plan: 'enterprise' as const, retentionDays: null, domain: null }

export function principalOf(keyId: string): Principal {
  const scopes: Principal['scopes'] = ['api.full']
  return { keyId, keyHash: keyId, keyName: keyId, scopes, expiresAt: null, team: TEAM, mailbox: null }
}

/** Ports with what event connections use of them, for a team without messages. `store` replaces some of its answers. */
export function eventPorts(store: object, subscriptionsMax = 100): DoorPorts {
  const all = {
    newestPosition: () => Promise.resolve(0),
    findTeam: () => Promise.resolve(TEAM),
    findPrincipal: (keyHash: string) => Promise.resolve(principalOf(keyHash)),
    markState: () => Promise.resolve({ version: 1, readThrough: 0 }),
    ...store,
  }
  const limits = { perUser: 50, perProcess: subscriptionsMax }
  const followers = { follow: () => Promise.resolve(() => {}) }
  const subscriptions = createSubscriptions({ store: all as never, followers, now: Date.now }, limits)
  onTestFinished(subscriptions.close)
  const ports = {
    store: all,
    now: Date.now,
    messages: { subscriptions },
    inbound: { worker: null },
    keys: { store: all },
    observe: { log: console },
  }
  // The rest is not used.
  return ports as unknown as DoorPorts
}

export function clientDouble(sent: (text: string) => void = () => {}): EventClient {
  const listeners: (() => void)[] = []
  const close = () => listeners.forEach((listener) => listener())
  return {
    send: (text) => sent(text.toString()),
    waitingBytes: () => 0,
    ping: () => {},
    close,
    cut: close,
    onClose: (listener) => listeners.push(listener),
  }
}
