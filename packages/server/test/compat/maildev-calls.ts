import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import type { ComparedCall, Counts } from './comparison.ts'
import { DOMAINS, PEOPLE, WORDS } from './mailpit-mails.ts'

const SEED = 1_080
/** The image that some of the mails contain has this name in both versions. */
const IMAGE = 'e7ed5df5a4914988928df0b3798b10f8.png'

/** Calls that change nothing but read flags, then some that delete. */
export function comparedCalls(version: 2 | 3, counts: Counts): ComparedCall[] {
  const get = (path: string) => ({ method: 'GET', path })
  const reading = Array.from({ length: counts.calls }, (_, number) =>
    get(readingPath(numberedRandom(SEED, number), version, counts.mails)),
  )
  const calls = [
    ...['/email', '/config', '/healthz', '/email/unknown', '/email/unknown/html', '/email/unknown/source'].map(get),
    ...['/email?read=true', '/email?size=1', '/email?subject=code&subject=reset'].map(get),
    ...[0, 2, 4, 6, 8, 10].map((number) => get(`/email/{${number}}/html`)),
    ...reading,
    get('/email?read=true'),
    { method: 'PATCH', path: '/email/read-all' },
    { method: 'PATCH', path: '/email/read-all' },
    { method: 'DELETE', path: '/email/{1}' },
    get('/email/{1}'),
    { method: 'DELETE', path: '/email/{1}' },
    get('/email?skip=3'),
    ...(version === 2
      ? []
      : [{ method: 'POST', path: '/email/delete', body: { ids: ['{2}', 'unknown', '{3}', '{2}'] } }]),
    ...(version === 2 ? [] : [{ method: 'POST', path: '/email/delete', body: { ids: '{4}' } }]),
    get('/email?skip=0'),
    { method: 'DELETE', path: '/email/all' },
    get('/email'),
  ]
  return version === 2 ? calls : calls.map((call) => ({ ...call, path: `/api${call.path}` }))
}

function readingPath(random: SeededRandom, version: 2 | 3, mails: number): string {
  const email = `/email/{${random.below(mails)}}`
  const kind = random.below(20)
  if (kind < 6) return email
  if (kind < 7) return `${email}/source`
  if (kind < 8) return `${email}/download`
  if (kind < 9) return `${email}/html`
  if (kind < 10)
    return `${email}/attachment/${random.pick([IMAGE, 'unknown', email.slice('/email/'.length).replace('}', '/0}')])}`
  if (kind < 14 && version === 3) return summaryPath(random, mails)
  const filters = Array.from({ length: random.below(3) }, () => randomFilter(random, mails))
  return `/email?${[...filters, ...randomPage(random, version, mails)].join('&')}`
}

function summaryPath(random: SeededRandom, mails: number): string {
  const search = random.pick([...WORDS, ...PEOPLE, ...DOMAINS, 'Test User', 'Lee', '', 'sender1'])
  return `/email/summary?${[
    ...(random.chance(0.6) ? [`search=${encodeURIComponent(search)}`] : []),
    ...(random.chance(0.3) ? [`unread=${random.pick(['true', 'false'])}`] : []),
    ...randomPage(random, 3, mails),
  ].join('&')}`
}

function randomPage(random: SeededRandom, version: 2 | 3, mails: number): string[] {
  const skip = random.pick([String(random.below(mails)), '2', 'x', '-2', ''])
  return [
    ...(random.chance(0.4) ? [`skip=${skip}`] : []),
    ...(version === 3 && random.chance(0.5) ? [`limit=${random.below(9)}`] : []),
    ...(version === 3 && random.chance(0.5) ? [`sort=${random.pick(['asc', 'desc', 'x'])}`] : []),
  ]
}

function randomFilter(random: SeededRandom, mails: number): string {
  const person = `${random.pick(PEOPLE)}@${random.pick(DOMAINS)}`
  const [path, value] = random.pick([
    ['to.address', person],
    ['to.address', person],
    ['cc.address', person],
    ['envelope.to.address', person],
    ['calculatedBcc.address', person],
    ['from.address', `sender${random.below(4)}@app.example`],
    ['from.name', random.pick(['Lee, Ann', 'Jürgen', 'Shop'])],
    ['subject', random.pick(WORDS)],
    ['read', random.pick(['true', 'false'])],
    ['headers.message-id', `<m${random.below(mails)}.${random.below(1000)}@app.example>`],
    ['headers.mime-version', '1.0'],
    ['attachments.contentType', 'application/pdf'],
    ['attachments.filename', 'data.pdf'],
    ['attachments.fileName', 'logo.png'],
    ['attachments.size', '70'],
    ['priority', 'normal'],
    ['nothing.of.this', 'x'],
  ])
  return `${path}=${encodeURIComponent(value)}`
}
