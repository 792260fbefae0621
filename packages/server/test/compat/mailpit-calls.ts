import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import type { ComparedCall, Counts } from './comparison.ts'
import { DOMAINS, PEOPLE as ALL_PEOPLE, TAGS, WORDS as ALL_WORDS } from './mailpit-mails.ts'

const SEED = 8_025

// In Mailpit, `_` stands for any character, and `%` for any text.
const [WORDS, PEOPLE] = [ALL_WORDS, ALL_PEOPLE].map((all) => all.filter((text) => !/[_%]/.test(text))) as [
  string[],
  string[],
]

/** Calls that change nothing but read flags, then some that delete. */
export function comparedCalls(counts: Counts): ComparedCall[] {
  const reading = Array.from({ length: counts.calls }, (_, number) =>
    (number % 4 === 3 ? otherCall : readingCall)(numberedRandom(SEED, number), counts.mails),
  )
  const fixed = [
    '/api/v1/info',
    '/api/v1/tags',
    '/api/v1/messages',
    '/api/v1/webui',
    '/api/v1/search',
    '/api/v1/message/unknown',
    '/view/latest.txt',
  ]
  return [
    ...fixed.map((path) => ({ method: 'GET', path })),
    ...reading,
    { method: 'PUT', path: '/api/v1/messages', body: { Read: true } },
    { method: 'GET', path: '/api/v1/messages?limit=3' },
    { method: 'PUT', path: '/api/v1/messages', body: { Read: false } },
    { method: 'PUT', path: '/api/v1/messages', body: { Read: true, IDs: ['{0}'], Search: 'code' } },
    { method: 'DELETE', path: '/api/v1/messages', body: { IDs: ['{1}', '{2}'] } },
    { method: 'GET', path: '/api/v1/message/{1}' },
    { method: 'DELETE', path: '/api/v1/search?query=subject:invoice' },
    { method: 'GET', path: '/api/v1/messages?limit=3' },
    { method: 'DELETE', path: '/api/v1/search' },
    { method: 'DELETE', path: '/api/v1/messages' },
    { method: 'GET', path: '/api/v1/messages' },
    { method: 'GET', path: '/api/v1/message/latest' },
  ]
}

function readingCall(random: SeededRandom, mails: number): ComparedCall {
  const id = random.chance(0.9) ? `{${random.below(mails)}}` : 'latest'
  const query = encodeURIComponent(randomQuery(random, mails))
  const kind = random.below(20)
  const get = (path: string) => ({ method: 'GET', path })
  if (kind < 11) return get(`/api/v1/search?query=${query}&limit=${random.below(60)}&start=${random.below(5)}`)
  if (kind < 14) return get(`/api/v1/message/${id}`)
  if (kind < 15) return get(`/api/v1/message/${id}/headers`)
  if (kind < 16) return get(`/api/v1/messages?start=${random.below(mails)}&limit=${random.below(5)}`)
  if (kind < 17) return get(`/api/v1/message/latest?query=${query}`)
  if (kind < 18) return { method: 'PUT', path: '/api/v1/messages', body: { Read: random.chance(0.5), IDs: [id] } }
  if (kind < 19)
    return {
      method: 'PUT',
      path: '/api/v1/messages',
      body: { Read: random.chance(0.5), Search: randomQuery(random, mails) },
    }
  return get(`/view/${id}.txt`)
}

/** What few clients ask for. */
function otherCall(random: SeededRandom, mails: number): ComparedCall {
  const number = random.below(mails)
  const message = `/api/v1/message/{${number}}`
  const file = `/part/{${number}/${random.below(3)}}`
  const dates = random.pick(['after:"2026-11-18 10:00"', 'before:2030-01-01', '-before:2026-01-01 code'])
  const path = random.pick([
    `${message}/raw`,
    message + file,
    `${message}${file}/thumb`,
    `/view/{${number}}.html`,
    `/view/{${number}}.txt`,
    `/api/v1/search?query=${encodeURIComponent(dates)}&tz=${random.pick(['Europe/Berlin', 'Pacific/Auckland', 'UTC'])}`,
    `/api/v1/messages?limit=2&before=${random.pick(['2030-01-01T00:00:00Z', '2001-01-01T00:00:00Z', '1000'])}`,
  ])
  return { method: 'GET', path }
}

const ADDRESS_FIELDS = ['to', 'from', 'cc', 'bcc', 'reply-to', 'addressed', 'To', 'FROM']
const DATES = [
  '2020-01-01',
  '2099-12-31',
  '2020/01/01',
  '01/31/2020',
  '2020-01-01 10:00',
  '2099-01-01T00:00:00Z',
  '20200101',
]

/** A search with one to three parts in Mailpit's grammar. */
export function randomQuery(random: SeededRandom, mails: number): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const part = randomPart(random, mails)
    const quoted = random.chance(0.2) ? `"${part}"` : part
    return random.chance(0.25) ? `${random.pick(['-', '!'])}${quoted}` : quoted
  })
  return parts.join(random.pick([' ', '  ']))
}

function randomPart(random: SeededRandom, mails: number): string {
  const word = random.pick(WORDS)
  const person = random.pick([
    random.pick(PEOPLE),
    random.pick(DOMAINS),
    'sender1',
    'Test User',
    'help1',
    'Lee',
    'Jürgen',
  ])
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return `${random.pick(ADDRESS_FIELDS)}:${person.includes(' ') ? `"${person}"` : person}`
    case 3:
    case 4:
      return `subject:${random.chance(0.5) ? word : `"${word} ${random.pick(WORDS)}"`}`
    case 5:
      return `message-id:m${random.below(mails)}.`
    case 6:
      return `tag:"${random.pick([...TAGS, 'news', '42', 'none'])}"`
    case 7:
      return random.pick(['is:read', 'is:unread', 'is:tagged', 'IS:Tagged', 'is:other'])
    case 8:
      return random.pick(['has:attachment', 'has:attachments', 'has:inline', 'has:inlines'])
    case 9:
      return `${random.pick(['after', 'before'])}:"${random.pick(DATES)}"`
    case 10:
      return `${random.pick(['larger', 'smaller'])}:${random.pick(['1', '5k', '0.005MB', '5.5kb', '1M', 'x'])}`
    default:
      return random.pick([
        word,
        `"${word} ${random.pick(WORDS)}"`,
        'hello',
        'click',
        'data.pdf',
        'https://app.example/code',
        'to:',
        '""',
      ])
  }
}
