import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { setTimeout as pause } from 'node:timers/promises'
import { refusal, startFakeServer, success } from '../test/support/fake-server.ts'
import { waitUntilFound } from './wait.ts'

const FOUND = success({ data: { id: '1', subject: 'Hello' } })
const NOTHING = refusal(404, 'message_not_found')

test('a wait survives a restart, a rate limit, a lost connection, and "nothing yet"', async () => {
  const { sdk, requests } = await startFakeServer([
    refusal(503, 'shutting_down'),
    refusal(429, 'too_many_waits'),
    'drop',
    NOTHING,
    FOUND,
  ])
  const found = await sdk.messages.waitFor({ mailbox: 'qa' }, { interval: 10 })
  expect(found.subject).toBe('Hello')
  expect(requests).toHaveLength(5)
})

test.each([
  [400, 'validation_failed'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [500, 'internal'],
])('a wait ends at once with %i %s, which a retry would not change', async (status, code) => {
  const { sdk, requests } = await startFakeServer([refusal(status, code)])
  await expect(sdk.messages.waitFor({ mailbox: 'qa' })).rejects.toMatchObject({ status, code })
  await expect(sdk.messages.waitFor({ subject: /x/ })).rejects.toMatchObject({ status, code })
  expect(requests).toHaveLength(2)
})

describe('a server that does not hold requests', () => {
  test('is polled once per interval', async () => {
    const { sdk, requests } = await startFakeServer([NOTHING, NOTHING, NOTHING, FOUND])
    const startedAt = performance.now()
    await sdk.messages.waitFor({ mailbox: 'qa' }, { interval: 100 })
    expect(requests).toHaveLength(4)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290)
  })

  test('is polled once a second by default', async () => {
    const { sdk, requests } = await startFakeServer([NOTHING])
    await expect(sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 1_500 })).rejects.toThrow('within 1500 ms')
    // At the start, after a second if the machine is not too busy, and at the timeout.
    const polls = requests.filter(({ url }) => !url.startsWith('/v1/messages/settled'))
    expect([2, 3]).toContain(polls.length)
  })

  test('may have no cursors and no codes either', async () => {
    const other = { status: 404, body: '{"error":"No messages found"}' }
    const { sdk } = await startFakeServer([other, FOUND])
    expect((await sdk.messages.waitFor({ mailbox: 'qa' }, { interval: 10 })).subject).toBe('Hello')

    const one = { id: '1', to: 'qa@x.test', subject: 'One' }
    const two = { id: '2', to: 'qa@x.test', subject: 'Two' }
    const lists = [
      { data: [one], has_more: false },
      { data: [], has_more: false },
      { data: [two, one], has_more: false },
    ]
    const followed = await startFakeServer([...lists.map(success), success({ data: two })])
    expect((await followed.sdk.messages.waitFor({ subject: /Two/ }, { interval: 10 })).subject).toBe('Two')
    expect(followed.requests.map(({ url }) => url.split('?')[0])).toEqual([
      '/v1/messages',
      '/v1/messages',
      '/v1/messages',
      '/v1/messages/2',
    ])
  })

  test('is not polled faster while its messages do not match', async () => {
    const page = { data: [{ id: '1', to: 'qa@x.test', subject: 'One' }], has_more: false }
    const { sdk, requests } = await startFakeServer([success(page)])
    const waiting = sdk.messages.waitFor({ subject: /Two/ }, { timeout: 250, interval: 100 })
    await expect(waiting).rejects.toThrow('One (not matching: subject)')
    // The last one asks for an explanation.
    expect(requests.length).toBeLessThanOrEqual(5)
  })
})

test('limit: by default a wait polls once a second, for 30 seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let looks = 0
  const search = {
    description: 'anything',
    async look() {
      looks++
      return { found: null, isMore: false } as const
    },
    explain: async () => ({ arrived: [], refused: null, attempts: [], page: null, state: null }),
  }
  const ended = waitUntilFound(search, {}).catch(String)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(looks).toBe(30)
  await vi.advanceTimersByTimeAsync(1)
  expect(await ended).toContain('within 30000 ms')
  expect(looks).toBe(31)
})

test('a condition that does not exist is an error, not ignored', async () => {
  const { sdk, requests } = await startFakeServer([FOUND])
  // From JavaScript, or from TypeScript that is not checked, as in Playwright.
  const waitFor = (match: object) => sdk.messages.waitFor(match)
  await expect(waitFor({ mailbox: 'qa', timeout: 5 })).rejects.toThrow(/matched by "timeout"\. .* second argument/)
  await expect(waitFor({ hasAttachments: true })).rejects.toThrow(/"hasAttachments"\. .*hasAttachment,/)
  await expect(waitFor({ toString: 1 })).rejects.toThrow('"toString"')
  expect(requests).toEqual([])
  expect((await waitFor({ mailbox: 'qa', timeout: undefined })).subject).toBe('Hello')
})

describe('when the time is over', () => {
  test('the error lists the conditions, what arrived, and which conditions each message failed', async () => {
    const arrived = [{ to: 'qa+2@in.test', subject: 'Welcome', failed: ['tag'] }]
    const { sdk } = await startFakeServer([refusal(404, 'message_not_found', { arrived })])
    await expect(sdk.messages.waitFor({ tag: '1' }, { timeout: 30 })).rejects.toMatchObject({
      name: 'MessageTimeoutError',
      status: 0,
      code: 'message_timeout',
      message:
        'No message matched {"tag":"1"} within 30 ms. What did arrive:\n' +
        '  to qa+2@in.test: Welcome (not matching: tag)',
      timeoutMs: 30,
      arrived,
      refused: null,
      page: null,
    })
  })

  test('the error lists refused mail with the reason, and the page of the address', async () => {
    const refused = [
      {
        at: '2026-01-31T12:00:00.000Z',
        from: 'app@shop.example',
        to: 'qa+1@gmail.com',
        code: 'inbox_domain_unknown',
        reason: 'Inbox domain not configured',
      },
      { at: '2026-01-31T12:00:00.000Z', from: '', to: '', code: '552', reason: 'Too\u001blarge' },
    ]
    const answer = refusal(404, 'message_not_found', { arrived: [], refused })
    const { sdk } = await startFakeServer([answer])
    const page = `${sdk.url}/a/qa%2B1%40in.test`
    const lines = [
      'Nothing arrived. Was the mail sent, and to this address?',
      'Mail of the last minutes to domains that no team has. It is in the dashboard under “Other addresses”. Send to an address on your team’s domain, catch the domain there, or start the server with `serve --catch-all`:',
      '  to qa+1@gmail.com from app@shop.example',
      'Mail that was refused in the last minutes:',
      '  to (unknown) from (unknown): Too large',
      `Its mail in the dashboard: ${page}`,
    ]
    for (const match of [{ mailbox: 'qa+1@in.test' }, { to: 'qa+1@in.test' }]) {
      const waiting = sdk.messages.waitFor(match, { timeout: 30 })
      const message = `No message matched ${JSON.stringify(match)} within 30 ms. ${lines.join('\n')}`
      await expect(waiting).rejects.toMatchObject({ message, refused, page })
    }
    const list = success({ data: [], has_more: false, cursor: 'c1' })
    const each = await startFakeServer([list, answer])
    const where = { mailbox: 'qa+1@in.test', where: () => true }
    await expect(each.sdk.messages.waitFor(where, { timeout: 0 })).rejects.toMatchObject({ refused, arrived: [] })
  })

  test('the error says that nothing arrived, and shows patterns as written', async () => {
    const { sdk } = await startFakeServer([success({ data: [], has_more: false, cursor: 'c1' })])
    const waiting = sdk.messages.waitFor({ subject: /code/i, where: () => true }, { timeout: 30 })
    await expect(waiting).rejects.toThrow(
      'No message matched {"subject":"/code/i","where":"(a function)"} within 30 ms. Nothing arrived.',
    )
  })

  test('the error includes the failure of the last request', async () => {
    const { sdk } = await startFakeServer([NOTHING, refusal(503, 'shutting_down', { error: 'Restarting.' })])
    const waiting = sdk.messages.waitFor({ tag: '1' }, { timeout: 1_000, interval: 10 })
    await expect(waiting).rejects.toMatchObject({
      name: 'MessageTimeoutError',
      message: expect.stringMatching(/The last request failed: Restarting\.$/),
      cause: expect.objectContaining({ status: 503 }),
    })
  })

  test('a server that never responded is a connection error', async () => {
    const away = await startFakeServer(['drop'])
    const waiting = away.sdk.messages.waitFor({ tag: '1' }, { timeout: 300 })
    await expect(waiting).rejects.toMatchObject({ name: 'ConnectionError', status: 0, code: 'connection_failed' })
    const silent = await startFakeServer(['hang'])
    const startedAt = performance.now()
    await expect(silent.sdk.messages.waitFor({ tag: '1' }, { timeout: 300 })).rejects.toThrow('did not respond within')
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})

test('a message that is deleted between two pages does not end the wait', async () => {
  const message = (id: string) => ({ id, to: 'qa@x.test', subject: `Mail ${id}` })
  const { sdk } = await startFakeServer([
    success({ data: [message('2')], has_more: true, cursor: 'c2' }),
    refusal(400, 'cursor_not_found'),
    success({ data: [message('1')], has_more: false, cursor: 'c2' }),
    success({ data: message('1') }),
  ])
  expect((await sdk.messages.waitFor({ subject: /1/ }, { interval: 10 })).subject).toBe('Mail 1')
})

test('the requests of one poll share the remaining time', async () => {
  const timeouts: number[] = []
  const search = {
    description: 'slow',
    async look(_: number, next: () => { timeout?: number | undefined }) {
      for (let count = 0; count < 3; count++) {
        timeouts.push(next().timeout!)
        await pause(100)
      }
      return { found: null, isMore: false }
    },
    explain: async () => ({ arrived: [], refused: null, attempts: [], page: null, state: null }),
  }
  await expect(waitUntilFound(search, { timeout: 250 })).rejects.toThrow('within 250 ms')
  const [first = 0, second = 0, third = 0] = timeouts
  expect(first).toBeGreaterThan(2_000)
  expect(first).toBeLessThanOrEqual(2_250)
  expect(second).toBeLessThan(first - 90)
  expect(third).toBeLessThan(second - 90)
})

test('a poll that takes too long is a message timeout, not a connection error', async () => {
  const list = success({ data: [{ id: '1', to: 'qa@x.test', subject: 'One' }], has_more: false, cursor: 'c1' })
  const { sdk } = await startFakeServer([list, 'hang'])
  const startedAt = performance.now()
  await expect(sdk.messages.waitFor({ subject: /One/ }, { timeout: 100 })).rejects.toMatchObject({
    code: 'message_timeout',
  })
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

test('one request is held for 25 seconds at most', async () => {
  const { sdk, requests } = await startFakeServer([FOUND])
  await sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 300_000 })
  await sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 2_000 })
  const [long, short] = requests.map(({ url }) => Number(new URL(url, 'http://localhost').searchParams.get('wait')))
  expect(long).toBe(25)
  expect(short).toBeGreaterThan(1.5)
  expect(short).toBeLessThanOrEqual(2)
})
