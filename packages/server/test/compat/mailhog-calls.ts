import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import type { ComparedCall, Counts } from './comparison.ts'
import { DOMAINS, PEOPLE, WORDS as ALL_WORDS } from './mailpit-mails.ts'

const SEED = 8_025

// MailHog does not decode what it searches, and we do.
// eslint-disable-next-line no-control-regex -- everything but ASCII
const WORDS = ALL_WORDS.filter((word) => /^[\x00-\x7f]*$/.test(word))

const get = (path: string): ComparedCall => ({ method: 'GET', path })

/** Calls that change nothing, then some that delete. */
export function comparedCalls(counts: Counts): ComparedCall[] {
  const reading = Array.from({ length: counts.calls }, (_, number) =>
    readingCall(numberedRandom(SEED, number), counts.mails),
  )
  const last = counts.mails - 1
  return [
    ...['/api/v1/messages', '/api/v2/messages', '/api/v2/messages?limit=1000', '/api/v2/outgoing-smtp'].map(get),
    ...['start=x', 'start=-1', 'limit=0', 'limit=-3', 'limit=x', `start=${counts.mails + 1}`].map((query) =>
      get(`/api/v2/messages?${query}`),
    ),
    ...['', '?kind=to', '?kind=other&query=a', '?query=a'].map((query) => get(`/api/v2/search${query}`)),
    get(`/api/v2/search?kind=to&query=example&start=${counts.mails + 1}`),
    get(`/api/v2/search?kind=to&query=example&start=${counts.mails}`),
    get('/api/v1/messages/unknown'),
    get('/api/v2/jim'),
    ...reading,
    { method: 'DELETE', path: '/api/v1/messages/{1}' },
    { method: 'DELETE', path: '/api/v1/messages/{1}' },
    get('/api/v1/messages/{1}'),
    { method: 'DELETE', path: `/api/v1/messages/{${last}}` },
    get('/api/v2/messages?limit=3'),
    { method: 'DELETE', path: '/api/v1/messages' },
    get('/api/v1/messages'),
    get('/api/v2/messages'),
    get('/api/v2/search?kind=to&query=example'),
  ]
}

function readingCall(random: SeededRandom, mails: number): ComparedCall {
  const id = `{${random.below(mails)}}`
  const page = `${random.chance(0.5) ? `&start=${random.below(5)}` : ''}${random.chance(0.7) ? `&limit=${random.below(9)}` : ''}`
  const kind = random.below(20)
  if (kind < 9) {
    const { searched, query } = randomSearch(random)
    return get(`/api/v2/search?kind=${searched}&query=${encodeURIComponent(query)}${page}`)
  }
  if (kind < 14) return get(`/api/v1/messages/${id}`)
  if (kind < 17) return get(`/api/v2/messages?start=${random.below(mails)}${page.replace(/&start=\d+/, '')}`)
  if (kind < 18) return get(`/api/v1/messages/{${2 * random.below(mails / 2)}}/download`)
  return get(`/api/v1/messages/${id}/mime/part/${random.below(3)}/download`)
}

function randomSearch(random: SeededRandom): { searched: string; query: string } {
  const person = random.pick(PEOPLE)
  const domain = random.pick(DOMAINS)
  const addresses = [`${person}@${domain}`, person, domain, person.toUpperCase(), 'Test User', 'list@other', 'sender1']
  const searched = random.pick(['from', 'to', 'containing'])
  const word = random.pick(WORDS)
  const words = [word, word.toUpperCase(), `${word} ${random.pick(WORDS)}`, 'app.example', 'hello', 'data.pdf', '<p>']
  return { searched, query: random.pick(searched === 'containing' ? words : addresses) }
}
