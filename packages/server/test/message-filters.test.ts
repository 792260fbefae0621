import type { Announcement, MessageDetail } from '@mailhatch/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { startFileServer } from './support/file-server.ts'

const server = await startFileServer()
const { store, subjects, get } = server

/** Each subject starts with the name that the tables below use for the message. */
const MESSAGES: Partial<Announcement>[] = [
  { subject: 'plain', mailbox: 'orders', plainContent: 'Thank you for the Order' },
  { subject: 'login', mailbox: 'orders', tag: 'login', from: 'news+offers@shop.example' },
  { subject: 'signup', mailbox: 'orders', tag: 'signup', to: 'Orders+Signup@MailHatch.test' },
  { subject: 'login-two', mailbox: 'orders', tag: 'login-two' },
  {
    subject: 'ada',
    mailbox: 'people',
    from: 'ada@engine.example',
    headers: [{ name: 'From', value: 'Ada Lovelace <ada@engine.example>' }],
  },
  {
    subject: 'campaign',
    mailbox: 'people',
    headers: [
      { name: 'X-Campaign', value: 'Spring' },
      { name: 'X-Link', value: 'https://shop.example/a?b=c:d' },
    ],
  },
  { subject: 'percent 100% off', mailbox: 'odd' },
  { subject: 'number 100 off', mailbox: 'odd' },
  { subject: 'underscore a_b', mailbox: 'odd' },
  { subject: 'letter axb', mailbox: 'odd' },
  { subject: 'backslash c\\d', mailbox: 'odd' },
  { subject: 'nothing cd', mailbox: 'odd' },
  { subject: 'fullwidth Ｗｅｌｃｏｍｅ', mailbox: 'odd' },
  { subject: 'accent ÉTÉ', mailbox: 'odd', plainContent: 'Grüße AUS Köln' },
  { subject: 'noon', mailbox: 'odd', plainContent: 'Call me @ noon, two words' },
  { subject: 'day-before', mailbox: 'days', receivedAt: '2025-03-09T23:59:59.999Z' },
  { subject: 'day-start', mailbox: 'days', receivedAt: '2025-03-10T00:00:00.000Z' },
  { subject: 'day-end', mailbox: 'days', receivedAt: '2025-03-10T23:59:59.999Z' },
  { subject: 'day-after', mailbox: 'days', receivedAt: '2025-03-11T00:00:00.000Z' },
]

beforeAll(async () => {
  for (const message of MESSAGES) await store(message)
})

/** The names of the messages that the list finds. latest must agree, so its response is included. */
async function find(query: string): Promise<{ names: string[]; newest: string; latest: string }> {
  const found = await subjects(query)
  const { status, body } = await get<{ data?: MessageDetail }>('/v1/messages/latest', query)
  return {
    names: found.map((subject) => subject.split(' ')[0]!).sort(),
    newest: found[0] ?? 'none, 404',
    latest: body.data?.subject ?? `none, ${status}`,
  }
}

const ORDERS = ['plain', 'login', 'signup', 'login-two']
const DAYS = ['day-before', 'day-start', 'day-end', 'day-after']

const RULES: [rule: string, rows: [query: string, names: string[]][]][] = [
  [
    'contract: `mailbox` is a local part or full address, any case',
    [
      ['mailbox=orders', ORDERS],
      ['mailbox=OrDers', ORDERS],
      ['mailbox=orders@mailhatch.test', ORDERS],
      ['mailbox=ORDERS@MailHatch.Test', ORDERS],
      ['mailbox=orders@in.mailhatch.test', []],
      ['mailbox=orders@elsewhere.example', []],
      ['mailbox=order', []],
      ['mailbox=orders%2Blogin', ['login']],
      ['mailbox=Orders%2BLOGIN@mailhatch.test', ['login']],
      ['mailbox=orders%2Blogin&tag=signup', []],
    ],
  ],
  [
    'contract: a forgotten escape of `+` in `mailbox`, `to`, `from`, `q` and `since`',
    [
      ['mailbox=orders+login', ['login']],
      ['mailbox=orders+login@mailhatch.test', ['login']],
      ['mailbox=orders%20login', ['login']],
      ['to=orders+login@mailhatch.test', ['login']],
      ['to=orders%2Blogin@mailhatch.test', ['login']],
      ['from=news+offers@shop', ['login']],
      ['from=news+offers', []],
      ['from=news%2Boffers', ['login']],
      ['q=orders+signup@mailhatch.test', ['signup']],
      ['q=%3Corders+signup@mailhatch.test', []],
      ['q=me+@+noon', ['noon']],
      ['q=two+words', ['noon']],
      ['mailbox=days&since=2025-03-11T02:00:00+02:00', ['day-after']],
      ['mailbox=days&since=2025-03-11T02:00:00%2B02:00', ['day-after']],
    ],
  ],
  [
    'contract: `tag` is equality, `tags` any of a list, trimmed and lower-cased',
    [
      ['tag=login', ['login']],
      ['tag=+LOGIN+', ['login']],
      ['tag=log', []],
      ['tags=login,signup', ['login', 'signup']],
      ['tags=login&tags=signup', ['login', 'signup']],
      ['tags=+Login+,SIGNUP,,', ['login', 'signup']],
      ['tags=login', ['login']],
      ['tags=none,nothing', []],
      ['tag=login&tags=login,signup', ['login']],
      ['tag=login&tags=signup', []],
    ],
  ],
  [
    'contract: `to`, `from`, `subject`, `text` are partial matches without case',
    [
      ['to=ORDERS%2Bsign', ['signup']],
      ['from=ADA@eng', ['ada']],
      ['from=lovelace', ['ada']],
      ['subject=LOGIN', ['login', 'login-two']],
      ['subject=gin-t', ['login-two']],
      ['text=thank+YOU', ['plain']],
      ['text=lovelace', []],
      ['subject=welcome', ['fullwidth']],
      ['subject=%C3%A9t%C3%A9', ['accent']],
      ['text=GR%C3%9CSSE', []],
      ['text=gr%C3%BC%C3%9Fe+aus', ['accent']],
    ],
  ],
  [
    'contract: `%`, `_` and `\\` match themselves',
    [
      ['subject=100%25', ['percent']],
      ['subject=100', ['percent', 'number']],
      ['q=100%25', ['percent']],
      ['subject=a_b', ['underscore']],
      ['q=a_b', ['underscore']],
      ['subject=c%5Cd', ['backslash']],
      ['q=c%5Cd', ['backslash']],
      ['subject=%25', ['percent']],
      ['subject=_', ['underscore']],
      ['subject=%5C', ['backslash']],
      ['tag=%25', []],
      ['mailbox=order_', []],
      ['subject=%22', []],
      ['q=%27%20or%201=1', []],
    ],
  ],
  [
    'contract: `q` looks at subject, from, fromName, to, mailboxWithTag and text',
    [
      ['q=LOGIN-two', ['login-two']],
      ['q=engine.example', ['ada']],
      ['q=ada+love', ['ada']],
      ['q=Orders%2BSignup@Mail', ['signup']],
      ['q=orders%2Bsignup', ['signup']],
      ['q=you+for+the+order', ['plain']],
      ['q=spring', []],
      ['q=people@mailhatch', ['ada', 'campaign']],
      ['q=d', [...new Set(MESSAGES.map(({ subject }) => subject!.split(' ')[0]!))]],
    ],
  ],
  [
    'contract: `header=Name:value` is an exact header value',
    [
      ['header=X-Campaign:Spring', ['campaign']],
      ['header=X-Campaign:Spr', []],
      ['header=X-Campaign:Autumn', []],
      ['header=X-Link:Spring', []],
      ['header=X-Link:https://shop.example/a?b=c:d', ['campaign']],
    ],
  ],
  [
    'contract: `start` and `end` are UTC days, inclusive',
    [
      ['mailbox=days&start=2025-03-10&end=2025-03-10', ['day-start', 'day-end']],
      ['mailbox=days&start=2025-03-10', ['day-start', 'day-end', 'day-after']],
      ['mailbox=days&end=2025-03-10', ['day-before', 'day-start', 'day-end']],
      ['mailbox=days&start=2025-03-12', []],
      ['mailbox=days&end=2025-03-08', []],
      ['mailbox=days&start=2024-02-29&end=2025-12-31', DAYS],
    ],
  ],
  [
    'contract: `since` is receivedAt >= since; no zone is UTC',
    [
      ['mailbox=days&since=2025-03-10T23:59:59.999Z', ['day-end', 'day-after']],
      ['mailbox=days&since=2025-03-11T00:00:00.000Z', ['day-after']],
      ['mailbox=days&since=2025-03-11T00:00:00', ['day-after']],
      ['mailbox=days&since=2025-03-11T00:00:00.001Z', []],
      ['mailbox=days&since=2025-03-10T20:00:00-04:00', ['day-after']],
      ['mailbox=days&since=2025-03-10T23:59:59Z&end=2025-03-10', ['day-end']],
    ],
  ],
  [
    'contract: filters AND together, unknown parameters are ignored, an empty value is none',
    [
      ['mailbox=orders&subject=login&from=news', ['login']],
      ['mailbox=people&subject=login', []],
      ['mailbox=orders&tag=login&frobnicate=1&Tag=signup', ['login']],
      [
        'mailbox=orders&tag=&tags=&q=&to=&from=&subject=&text=&header=&start=&end=&since=&after=&after_id=&wait=',
        ORDERS,
      ],
      ['mailbox=&tag=login', ['login']],
    ],
  ],
]

describe.each(RULES)('%s', (_, rows) => {
  test.each(rows)('%s', async (query, names) => {
    const { newest, ...found } = await find(query)
    expect(found).toEqual({ names: names.toSorted(), latest: newest })
  })
})

describe('error: an invalid local part is 400 `Invalid mailbox`', () => {
  const impossible = ['@mailhatch.test', '+login', 'x'.repeat(65), 'a b c', 'a  b', 'a\u0001b', 'a\nb', 'a\u007fb']
  const special = Array.from('"<>()[],;:\\').map((character) => `a${character}b`)

  test.each([...impossible, ...special])('%j', async (mailbox) => {
    for (const path of ['/v1/messages', '/v1/messages/latest']) {
      const { status, body } = await get(path, { mailbox })
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: 'Invalid mailbox', code: 'mailbox_invalid' })
    }
  })

  test.each(['x'.repeat(64), "o'brien", 'a=b', 'jürgen', 'admin', '_a-'])('control: %j is valid', async (mailbox) => {
    expect((await get('/v1/messages', { mailbox })).status).toBe(200)
  })
})

describe('error: a bad date is 400 with details', () => {
  const days = ['2025-02-30', '2025-02-29', '2025-13-01', '2025-3-1', '2025-03-00', 'today', '2025-03-10T00:00:00Z']
  const moments = ['2025-02-30T00:00:00Z', '2025-03-10T24:30:00Z', 'yesterday', '1741564800', '10 Mar 2025']

  test.each<[string, string]>([
    ...days.flatMap((day): [string, string][] => [
      ['start', day],
      ['end', day],
    ]),
    ...moments.map((moment): [string, string] => ['since', moment]),
  ])('%s=%s', async (name, value) => {
    for (const path of ['/v1/messages', '/v1/messages/latest']) {
      const { status, body } = await get(path, { [name]: value })
      expect(status).toBe(400)
      expect(body.code).toBe('validation_failed')
      expect(Object.keys(body.details!)).toEqual([name])
    }
  })

  test('start after end', async () => {
    const { status, body } = await get('/v1/messages', { start: '2025-03-11', end: '2025-03-10' })
    expect(status).toBe(400)
    expect(body.code).toBe('validation_failed')
    expect(Object.keys(body.details!).join()).toMatch(/start|end/)
  })
})
