import { describe, expect, test, vi } from 'vitest'
import type { StoredSummary } from '../store/messages.ts'
import { createSubscriptions, type Followed, type Subscription } from './subscriptions.ts'

const TEAM = { id: 'team', name: 'Team', plan: 'enterprise' as const, retentionDays: null, domain: null }

/** A team's messages and a follower. */
function startTeam(limits = { perUser: 2, perProcess: 3 }) {
  const positions: number[] = []
  const marks = { version: 1, readThrough: 0 }
  const listeners = new Set<() => void>()
  const store = {
    newestPosition: async () => positions.length,
    // The second message is the first one that is as new as `since`.
    firstPosition: async () => (positions.length < 2 ? null : 2),
    followMessages: async (_: unknown, { after, upTo, limit }: { after: number; upTo: number; limit: number }) =>
      // The only fields of a message that these tests use.
      positions.slice(after, Math.min(upTo, after + limit + 1)).map((position) => ({ position }) as StoredSummary),
    readAmong: async () => [],
    markState: async () => ({ ...marks }),
    changedMarks: async () => [{ id: 'a', isRead: true }],
  }
  const followers = {
    async follow(_: string, __: object, onMatch: () => void) {
      listeners.add(onMatch)
      return () => void listeners.delete(onMatch)
    },
  }
  // The store and the followers have their own tests, so these are doubles.
  const subscriptions = createSubscriptions({ store, followers: followers as never, now: Date.now }, limits)
  const open = (changes: Partial<Subscription> = {}) =>
    subscriptions.follow({
      userId: 'ada',
      filter: {},
      after: 0,
      team: async () => TEAM,
      signal: undefined,
      marks: null,
      ...changes,
    })
  return {
    subscriptions,
    listeners,
    open,
    marks,
    add() {
      positions.push(positions.length + 1)
      for (const listener of listeners) listener()
    },
  }
}

async function positionOf(stream: AsyncGenerator<Followed>): Promise<number | undefined> {
  const { value } = await stream.next()
  return value && 'message' in value ? value.message.position : undefined
}

describe('subscriptions', () => {
  test('send each message once, stored ones and new ones', async () => {
    const { open, add } = startTeam()
    add()
    const stream = open()
    expect(await positionOf(stream)).toBe(1)
    const waiting = positionOf(stream)
    add()
    expect(await waiting).toBe(2)
    await stream.return(undefined)
  })

  test('send changes of read marks since the given state, only if asked', async () => {
    const { open, add, marks } = startTeam()
    const state = { ...marks }
    add()
    const asked = open({ marks: state })
    const unasked = open()
    expect(await positionOf(asked)).toBe(1)
    expect(await positionOf(unasked)).toBe(1)
    marks.version++
    const changed = [{ id: 'a', isRead: true }]
    const waiting = asked.next()
    add()
    expect((await waiting).value).toEqual({ marks: { state: marks, readThrough: null, changed, isCut: false } })
    // Sent once, and then messages again.
    expect(await positionOf(asked)).toBe(2)
    expect(await positionOf(unasked)).toBe(2)
    marks.version++
    marks.readThrough = 2
    const all = asked.next()
    add()
    expect((await all).value).toMatchObject({ marks: { readThrough: 2 } })
    await Promise.all([asked.return(undefined), unasked.return(undefined)])
  })

  test('without a start position, or with one in the future, start now', async () => {
    const { open, add, listeners } = startTeam()
    add()
    for (const after of [null, 99]) {
      const stream = open({ after })
      const waiting = positionOf(stream)
      await vi.waitFor(() => expect(listeners.size).toBe(1))
      // Let it read up to the newest position.
      await new Promise(setImmediate)
      add()
      expect(await waiting).toBe(after === null ? 2 : 3)
      await stream.return(undefined)
    }
  })

  test('with `since` start with the first message that is new enough, if there is one', async () => {
    const { open, add, listeners } = startTeam()
    add()
    const early = open({ after: null, filter: { since: 1 } })
    const waiting = positionOf(early)
    await vi.waitFor(() => expect(listeners.size).toBe(1))
    await new Promise(setImmediate)
    for (let count = 0; count < 2; count++) add()
    expect(await waiting).toBe(2)
    await early.return(undefined)
    const late = open({ after: null, filter: { since: 1 } })
    expect([await positionOf(late), await positionOf(late)]).toEqual([2, 3])
    await late.return(undefined)
    // A position takes precedence over a time.
    const after = open({ after: 2, filter: { since: 1 } })
    expect(await positionOf(after)).toBe(3)
    await after.return(undefined)
  })

  test('are limited per user and in total, and make room when they end', async () => {
    const { subscriptions, open, add } = startTeam()
    add()
    const mine = [open(), open()]
    for (const stream of mine) await stream.next()
    await expect(open().next()).rejects.toMatchObject({ code: 'too_many_streams' })
    const other = open({ userId: 'grace' })
    await other.next()
    await expect(open({ userId: 'linus' }).next()).rejects.toMatchObject({ code: 'server_busy' })
    expect(subscriptions.count()).toBe(3)
    await mine[0]!.return(undefined)
    expect(await positionOf(open())).toBe(1)
    await other.return(undefined)
  })

  test('end when the reader disconnects or loses the team, or the server closes', async () => {
    const { subscriptions, open, listeners } = startTeam({ perUser: 9, perProcess: 9 })
    const leaving = new AbortController()
    let team: typeof TEAM | null = TEAM
    const streams = [open({ signal: leaving.signal }), open({ team: async () => team }), open()]
    const ends = streams.map((stream) => stream.next())
    await vi.waitFor(() => expect(listeners.size).toBe(3))
    leaving.abort()
    expect((await ends[0]!).done).toBe(true)
    team = null
    expect((await ends[1]!).done).toBe(true)
    subscriptions.close()
    expect((await ends[2]!).done).toBe(true)
    expect(subscriptions.count()).toBe(0)
    expect(listeners.size).toBe(0)
    await expect(open().next()).rejects.toMatchObject({ code: 'shutting_down' })
  })
})
