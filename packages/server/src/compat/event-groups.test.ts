import { expect, onTestFinished, test } from 'vitest'
import { clientDouble, eventPorts, principalOf } from '../../test/compat/event-doubles.ts'
import { createEventGroups, EVENT_LIMITS } from './event-groups.ts'

function start(limits: Partial<typeof EVENT_LIMITS>, subscriptionsMax?: number) {
  const sender = { newState: () => null, withMarks: false, tell: () => Promise.resolve() }
  const ports = eventPorts({}, subscriptionsMax)
  const groups = createEventGroups<null>(ports, sender, { ...EVENT_LIMITS, ...limits })
  onTestFinished(groups.close)
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
