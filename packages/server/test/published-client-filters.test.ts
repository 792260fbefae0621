import { beforeAll, describe, expect, test } from 'vitest'
import { storeMany } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { publishedClient, refusalOf } from './support/published-client.ts'

const server = await startFileServer()
const { url, store } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })

const subjects = async (query: string) => (await client.list(query)).data.map(({ subject }) => subject).toSorted()

beforeAll(async () => {
  await store({ mailbox: 'shop', tag: 'login', subject: 'Your code', plainContent: 'It is 481516' })
  await store({ mailbox: 'shop', tag: 'reset', subject: 'New password', from: 'accounts+eu@shop.example' })
  await store({ mailbox: 'shop', tag: 'invoice', subject: '100% paid_up', to: 'Shop+Invoice@mailhatch.test' })
  await store({ mailbox: 'shop', subject: 'No tag' })
  await store({ mailbox: 'market', tag: 'login', subject: 'Market code' })
})

describe('mailbox and tags', () => {
  test.each([
    ['mailbox=shop', ['100% paid_up', 'New password', 'No tag', 'Your code']],
    ['mailbox=SHOP', ['100% paid_up', 'New password', 'No tag', 'Your code']],
    ['mailbox=shop@mailhatch.test&tag=login', ['Your code']],
    ['mailbox=shop@elsewhere.test', []],
    ['mailbox=shop%2Blogin', ['Your code']],
    ['mailbox=shop+login', ['Your code']],
    ['mailbox=shop login', ['Your code']],
    ['mailbox=shop login@mailhatch.test', ['Your code']],
    ['tag=login', ['Market code', 'Your code']],
    ['tag=LogIn', ['Market code', 'Your code']],
    ['tag=log', []],
    ['mailbox=shop&tags=login,invoice', ['100% paid_up', 'Your code']],
    ['mailbox=shop&tags=login&tags=invoice', ['100% paid_up', 'Your code']],
    ['mailbox=shop&tags= LOGIN , reset &tags=invoice', ['100% paid_up', 'New password', 'Your code']],
    ['mailbox=shop&tag=login&tags=invoice', []],
    ['mailbox=shop&tag=&tags=&limit=', ['100% paid_up', 'New password', 'No tag', 'Your code']],
  ])('%s', async (query, expected) => {
    expect(await subjects(query)).toEqual(expected)
  })
})

describe('free text and partial matches', () => {
  test.each([
    ['q=CODE', ['Market code', 'Your code']],
    ['q=481516', ['Your code']],
    ['q=market', ['Market code']],
    ['q=100%25', ['100% paid_up']],
    ['q=paid_', ['100% paid_up']],
    ['q=paid%25', []],
    ['subject=password', ['New password']],
    ['from=accounts', ['New password']],
    ['from=accounts+eu@shop', ['New password']],
    ['q=accounts+eu@shop', ['New password']],
    ['to=shop+login@mailhatch.test', ['Your code']],
    ['to=shop login@', ['Your code']],
    ['to=shop%2Binvoice@', ['100% paid_up']],
    ['mailbox=shop&unknown=1&q=code', ['Your code']],
  ])('%s', async (query, expected) => {
    expect(await subjects(query)).toEqual(expected)
  })
})

describe('days and times', () => {
  const TIMES = [
    '2024-03-09T23:59:59.999Z',
    '2024-03-10T00:00:00.000Z',
    '2024-03-10T23:59:59.999Z',
    '2024-03-11T00:00:00.000Z',
  ]
  beforeAll(async () => {
    await storeMany(url, TIMES.length, (number) => ({ mailbox: 'days', receivedAt: TIMES[number - 1]! }))
  })

  test.each([
    ['start=2024-03-10&end=2024-03-10', TIMES.slice(1, 3)],
    ['start=2024-03-10', TIMES.slice(1)],
    ['end=2024-03-10', TIMES.slice(0, 3)],
    ['end=2024-03-08', []],
    ['since=2024-03-10T23:59:59.999Z', TIMES.slice(2)],
    ['since=2024-03-11T00:00:00.001Z', []],
    ['since=2024-03-11T02:00:00+02:00', TIMES.slice(3)],
    ['since=2024-03-11T02:00:00%2B02:00', TIMES.slice(3)],
    ['since=2024-03-10T20:00:00-04:00', TIMES.slice(3)],
    ['since=2024-03-11', TIMES.slice(3)],
    ['since=2024-03-10T23:59:59.999', TIMES.slice(2)],
    ['since=2024-03-10T00:00:00Z&end=2024-03-10', TIMES.slice(1, 3)],
  ])('%s', async (query, expected) => {
    const { data } = await client.list(`mailbox=days&${query}`)
    expect(data.map(({ receivedAt }) => receivedAt).toReversed()).toEqual(expected)
  })

  test.each(['limit=abc', 'limit=0', 'limit=999', 'limit=-1', 'limit=', 'limit=1.5'])(
    'latest ignores %s',
    async (limit) => {
      const message = await client.latest(`mailbox=days&${limit}`)
      expect(message?.receivedAt).toBe(TIMES.at(-1))
    },
  )
})

describe('an invalid parameter is 400 with its name', () => {
  test.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit=abc'],
    ['limit', 'limit=1.5'],
    ['limit', 'limit=-1'],
    ['limit', 'limit=1&limit=2'],
    ['since', 'since=yesterday'],
    ['since', 'since=2024-02-30T00:00:00Z'],
    ['since', 'since=2024-01-01T25:00:00Z'],
    ['since', 'since=2024-01-01&since=2024-01-02'],
    ['start', 'start=2024-02-30'],
    ['start', 'start=10.03.2024'],
    ['start', 'start=2024-3-1'],
    ['end', 'end=2023-02-29'],
    ['end', 'end=2024-13-01'],
    ['wait', 'wait=61'],
    ['wait', 'wait=-1'],
    ['wait', 'wait=soon'],
    ['after', 'after=!'],
  ])('%s: %s', async (name, query) => {
    const refusal = await refusalOf(client.list(query))
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(Object.keys(refusal.details ?? {})).toEqual([name])
  })

  test('start after end', async () => {
    const refusal = await refusalOf(client.list('start=2024-03-11&end=2024-03-10'))
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed', details: expect.any(Object) })
  })

  test('several invalid parameters are all named', async () => {
    const { details = {} } = await refusalOf(client.list('limit=0&since=never&start=today'))
    expect(Object.keys(details).toSorted()).toEqual(['limit', 'since', 'start'])
  })

  test.each(['limit=200', 'limit=1', 'since=2024-02-29T00:00:00Z', 'start=2024-02-29&end=2024-02-29', 'wait=0'])(
    'control: %s is valid',
    async (query) => {
      expect(await client.list(query)).toMatchObject({ data: expect.any(Array) })
    },
  )

  test.each([
    'mailbox=two  spaces',
    'mailbox=@mailhatch.test',
    `mailbox=${'x'.repeat(65)}`,
    'mailbox=a"b',
    'mailbox=a%00b',
  ])('an invalid mailbox: %s', async (query) => {
    expect(await refusalOf(client.list(query))).toMatchObject({
      status: 400,
      error: 'Invalid mailbox',
      code: 'mailbox_invalid',
    })
  })
})
