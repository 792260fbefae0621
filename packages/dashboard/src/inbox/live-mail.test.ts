import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followMail, type LiveState, type OpenStream } from './live-mail.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

type Mail = { cursor: string }
type Stream = Parameters<OpenStream<Mail>>[0] & { isClosed: boolean }

function start() {
  const streams: Stream[] = []
  const states: LiveState[] = []
  const mails: string[] = []
  const live = followMail<Mail>({
    open(handlers) {
      const stream = { ...handlers, isClosed: false }
      streams.push(stream)
      return { close: () => (stream.isClosed = true) }
    },
    after: 'c0',
    cursorOf: ({ cursor }) => cursor,
    onMail: ({ cursor }) => mails.push(cursor),
    onState: (state) => states.push(state),
    now: Date.now,
  })
  return { live, streams, states, mails, last: () => streams.at(-1)!, state: () => states.at(-1) }
}

test('resumes after the last mail, and ignores events of a lost stream', () => {
  const { last, streams, mails, state } = start()
  last().onOpen()
  expect(state()).toEqual({ kind: 'live' })
  last().onMail({ cursor: 'c1' })
  last().onLost()
  expect(state()).toEqual({ kind: 'waiting', until: 1_000 })
  streams[0]!.onMail({ cursor: 'c2' })
  vi.advanceTimersByTime(1_000)
  expect(streams).toHaveLength(2)
  expect(last().after).toBe('c1')
  last().onOpen()
  last().onMail({ cursor: 'c2' })
  expect(mails).toEqual(['c1', 'c2'])
  expect(streams[0]!.isClosed).toBe(true)
})

test('retries with increasing delays, at once on retryNow, and from the first delay again after it was connected', () => {
  const { live, last, streams, state } = start()
  for (const delay of [1_000, 2_000, 3_000, 5_000, 5_000, 5_000]) {
    last().onLost()
    expect(state()).toEqual({ kind: 'waiting', until: Date.now() + delay })
    vi.advanceTimersByTime(delay)
  }
  expect(streams).toHaveLength(7)
  last().onLost()
  live.retryNow()
  expect(streams).toHaveLength(8)
  last().onOpen()
  last().onLost()
  expect(state()).toEqual({ kind: 'waiting', until: Date.now() + 1_000 })
})

test('a connection attempt without a response times out', () => {
  const { state, last } = start()
  vi.advanceTimersByTime(10_000)
  expect(state()).toMatchObject({ kind: 'waiting' })
  expect(last().isClosed).toBe(true)
})

test('offline, it waits for the network; once closed, it does nothing', () => {
  const { live, streams, state, last } = start()
  live.setOnline(false)
  expect(state()).toEqual({ kind: 'offline' })
  vi.advanceTimersByTime(60_000)
  expect(streams).toHaveLength(1)
  live.setOnline(true)
  expect(streams).toHaveLength(2)
  live.close()
  last().onLost()
  vi.advanceTimersByTime(60_000)
  expect(streams).toHaveLength(2)
})
