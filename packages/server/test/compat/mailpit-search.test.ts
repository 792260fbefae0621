import { expect, test } from 'vitest'
import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import { startServer } from '../support/server.ts'
import { sendAll } from './comparison.ts'
import { MAILPIT } from './mailpit-peer.ts'

const QUERIES = 1_000
const MAILS = 40
const NAMES = ['anna', 'ben', 'Carla Lee', 'dora_x']
const SENDERS = ['Sender <sender@app.example>', 'Eva Long <eva@other.example>', 'no.name@app.example']
// Without summer time: query-dates.test.ts has that.
const TIME_ZONES = ['Asia/Kolkata', 'Asia/Tokyo', 'America/Bogota']
const WORDS = ['invoice', 'Welcome', 'CODE', 'Grüße', 'reset', '100%', 'x-y']

type Made = {
  subject: string
  text: string
  to: string
  toName: string
  from: string
  cc: string
  bcc: string
  /** In no header. */
  hidden: string
  replyTo: string
  /** In the address. */
  tag: string | null
  /** In a header, and with a space. */
  label: string | null
  hasFile: boolean
  hasInline: boolean
  number: number
}

function makeMail(number: number): Made {
  const random = numberedRandom(7, number)
  const tag = random.pick([null, null, 'red', 'Blue'])
  return {
    number,
    subject: [random.pick(WORDS), random.pick(WORDS)].join(' '),
    text: Array.from({ length: 5 + random.below(400) }, () => random.pick(WORDS)).join(' '),
    to: `user${random.below(5)}${tag === null ? '' : `+${tag}`}@shop.example`,
    toName: random.pick(NAMES),
    from: random.pick(SENDERS),
    cc: random.chance(0.3) ? `copy${random.below(3)}@mail.example` : '',
    bcc: random.chance(0.3) ? `boss${random.below(3)}@mail.example` : '',
    replyTo: random.chance(0.3) ? `help${random.below(3)}@mail.example` : '',
    tag,
    label: random.pick([null, null, null, 'late shift', 'Late night']),
    hasFile: random.chance(0.3),
    hasInline: random.chance(0.3),
    hidden: random.chance(0.3) ? `hidden${random.below(3)}@mail.example` : '',
  }
}

function rawOf(made: Made): string {
  const headers = [
    `From: ${made.from}`,
    `To: ${made.toName} <${made.to}>`,
    ...(made.cc ? [`Cc: ${made.cc}`] : []),
    ...(made.bcc ? [`Bcc: ${made.bcc}`] : []),
    ...(made.label === null ? [] : [`X-Tags: ${made.label}`]),
    ...(made.replyTo ? [`Reply-To: ${made.replyTo}`] : []),
    `Subject: =?utf-8?b?${Buffer.from(made.subject).toString('base64')}?=`,
    `Message-ID: <number${made.number}@app.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
  ]
  const text = ['--b', 'Content-Type: text/plain; charset=utf-8', '', made.text]
  const file = ['--b', 'Content-Type: application/pdf', 'Content-Disposition: attachment; filename="plan.pdf"', '', 'x']
  const image = [
    '--b',
    'Content-Type: image/png',
    'Content-ID: <logo@app.example>',
    'Content-Disposition: inline',
    '',
    'x',
  ]
  const files = [...(made.hasFile ? file : []), ...(made.hasInline ? image : [])]
  return [...headers, '', ...text, ...files, '--b--', ''].join('\r\n')
}

/** Of the envelope. */
function recipientsOf({ to, cc, hidden }: Made): string[] {
  return [to, cc, hidden].filter((address) => address !== '')
}

/** A part of a search as text, and what it means. */
type Part = {
  text: string
  holds: (mail: Received) => boolean
  /** What `-` makes of it, if that is not the opposite. */
  excludes?: (mail: Received) => boolean
}

type Received = Made & { id: string; isRead: boolean; receivedAt: number; size: number }

/** A time as a clock in the zone shows it. */
function wallTime(time: number, timeZone: string): string {
  const shown = new Date(time).toLocaleString('sv-SE', { timeZone })
  return `${shown}.${String(time % 1000).padStart(3, '0')}`
}

function randomPart(random: SeededRandom, mails: Received[], timeZone: string | null): Part {
  const has = (one: string, other: string) => one.toLowerCase().includes(other.toLowerCase())
  const word = random.pick([...WORDS, 'nothing', 'oice wel'])
  const user = `user${random.below(6)}`
  const quote = (value: string) => (value.includes(' ') || random.chance(0.2) ? `"${value}"` : value)
  // Also exactly those of mails.
  const time = random.pick(mails).receivedAt + random.pick([-1, 0, 0, 1])
  const at = timeZone !== null && random.chance(0.7) ? wallTime(time, timeZone) : new Date(time).toISOString()
  const bytes = random.pick(mails).size + random.pick([-1, 0, 0, 1])
  const kilobytes = 0.5 + random.below(6) / 2
  const label = random.pick(['late shift', 'LATE NIGHT', 'late'])
  const parts: Part[] = [
    { text: `to:${user}`, holds: ({ to, toName }) => has(to, user) || has(toName, user) },
    { text: `to:${quote('Carla Lee')}`, holds: ({ toName }) => toName === 'Carla Lee' },
    { text: `To:${quote('dora_x')}`, holds: ({ toName }) => toName === 'dora_x' },
    { text: 'from:SENDER', holds: ({ from }) => has(from, 'sender') },
    { text: `from:${quote('Eva Long')}`, holds: ({ from }) => has(from, 'Eva Long') },
    { text: 'from:app.example', holds: ({ from }) => has(from, 'app.example') },
    { text: 'from:nothing', holds: () => false },
    { text: `cc:copy1`, holds: ({ cc }) => has(cc, 'copy1') },
    { text: 'bcc:boss1', holds: ({ bcc }) => has(bcc, 'boss1') },
    { text: 'bcc:hidden1', holds: ({ hidden }) => has(hidden, 'hidden1') },
    { text: 'hidden2', holds: ({ hidden }) => has(hidden, 'hidden2') },
    { text: 'reply-to:help2', holds: ({ replyTo }) => has(replyTo, 'help2') },
    {
      text: 'addressed:mail.example',
      holds: ({ cc, bcc, hidden, replyTo }) => [cc, bcc, hidden, replyTo].some(Boolean),
    },
    { text: `subject:${quote(word)}`, holds: ({ subject }) => has(subject, word) },
    { text: quote(word), holds: ({ subject, text }) => has(subject, word) || has(text, word) },
    { text: 'plan.pdf', holds: ({ hasFile }) => hasFile },
    { text: 'message-id:number3', holds: ({ number }) => String(number).startsWith('3') },
    { text: 'tag:blue', holds: ({ tag }) => tag === 'Blue' },
    { text: `tag:"${label}"`, holds: (mail) => mail.label?.toLowerCase() === label.toLowerCase() },
    { text: 'is:tagged', holds: (mail) => mail.tag !== null || mail.label !== null },
    { text: 'is:read', holds: ({ isRead }) => isRead },
    { text: 'IS:unread', holds: ({ isRead }) => !isRead },
    { text: random.pick(['has:attachment', 'has:attachments']), holds: ({ hasFile }) => hasFile },
    { text: random.pick(['has:inline', 'has:inlines']), holds: ({ hasInline }) => hasInline },
    {
      text: `after:"${at}"`,
      holds: ({ receivedAt }) => receivedAt >= time,
      excludes: ({ receivedAt }) => receivedAt <= time,
    },
    {
      text: `before:${quote(at)}`,
      holds: ({ receivedAt }) => receivedAt <= time,
      excludes: ({ receivedAt }) => receivedAt >= time,
    },
    { text: `larger:${bytes}`, holds: ({ size }) => size > bytes, excludes: ({ size }) => size < bytes },
    { text: `smaller:${bytes}`, holds: ({ size }) => size < bytes, excludes: ({ size }) => size > bytes },
    {
      text: `larger:${kilobytes}k`,
      holds: ({ size }) => size > kilobytes * 1024,
      excludes: ({ size }) => size < kilobytes * 1024,
    },
    {
      text: `smaller:${kilobytes}KB`,
      holds: ({ size }) => size < kilobytes * 1024,
      excludes: ({ size }) => size > kilobytes * 1024,
    },
    { text: 'larger:1.5m', holds: () => false },
    { text: 'larger:much', holds: () => false },
    { text: 'to:', holds: () => true },
  ]
  const part = random.pick(parts)
  if (part.text === 'to:' || !random.chance(0.3)) return part
  return { text: `${random.pick(['-', '!'])}${part.text}`, holds: part.excludes ?? ((mail) => !part.holds(mail)) }
}

test('searches mean what Mailpit documents: 1,000 random ones agree with a plain evaluation', async () => {
  const { compatUrl: url, smtpPort } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  const made = Array.from({ length: MAILS }, (_, number) => makeMail(number))
  const ids = await sendAll(
    MAILPIT,
    { url, smtpPort },
    made.map((mail) => ({ from: 'sender@app.example', to: recipientsOf(mail), raw: rawOf(mail) })),
  )
  const readIds = ids.filter((_, index) => index % 3 === 0)
  await fetch(`${url}/api/v1/messages`, { method: 'PUT', body: JSON.stringify({ Read: true, IDs: readIds }) })
  const list = (await (await fetch(`${url}/api/v1/messages?limit=0`)).json()) as {
    messages: { ID: string; Created: string; Size: number }[]
  }
  const listed = new Map(list.messages.map((message) => [message.ID, message]))
  const mails = made.map((mail, index) => ({
    ...mail,
    id: ids[index]!,
    isRead: index % 3 === 0,
    receivedAt: Date.parse(listed.get(ids[index]!)!.Created),
    size: Buffer.byteLength(rawOf(mail)),
  }))
  expect(mails.map(({ id }) => listed.get(id)!.Size)).toEqual(mails.map(({ size }) => size))
  const wrong: unknown[] = []
  let matches = 0
  for (let number = 0; number < QUERIES; number++) {
    const random = numberedRandom(11, number)
    const timeZone = random.pick([null, ...TIME_ZONES])
    const parts = Array.from({ length: 1 + random.below(3) }, () => randomPart(random, mails, timeZone))
    const query = parts.map(({ text }) => text).join(' ')
    const expected = mails.filter((mail) => parts.every(({ holds }) => holds(mail))).map(({ id }) => id)
    const answer = await fetch(`${url}/api/v1/search?limit=100&query=${encodeURIComponent(query)}&tz=${timeZone ?? ''}`)
    const body = (await answer.json()) as {
      messages: { ID: string }[]
      messages_count: number
      messages_unread: number
    }
    const found = body.messages.map(({ ID }) => ID)
    const unread = expected.filter((id) => !readIds.includes(id)).length
    matches += expected.length
    const isRight =
      JSON.stringify(found) === JSON.stringify(expected.toReversed()) &&
      body.messages_count === expected.length &&
      body.messages_unread === unread
    if (!isRight) wrong.push({ query, timeZone, expected, found, body: { ...body, messages: [] } })
  }
  expect(wrong).toEqual([])
  // Enough searches find something.
  expect(matches).toBeGreaterThan(QUERIES)
})
