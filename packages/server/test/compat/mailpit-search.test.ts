import { expect, test } from 'vitest'
import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import { startServer } from '../support/server.ts'
import { sendAll } from './comparison.ts'
import { MAILPIT } from './mailpit-peer.ts'

const QUERIES = 1_000
const MAILS = 40
const NAMES = ['anna', 'ben', 'Carla Lee', 'dora_x']
const WORDS = ['invoice', 'Welcome', 'CODE', 'Grüße', 'reset', '100%', 'x-y']

type Made = {
  subject: string
  text: string
  to: string
  toName: string
  cc: string
  replyTo: string
  tag: string | null
  hasFile: boolean
  number: number
}

function makeMail(number: number): Made {
  const random = numberedRandom(7, number)
  const tag = random.pick([null, null, 'red', 'Blue'])
  return {
    number,
    subject: [random.pick(WORDS), random.pick(WORDS)].join(' '),
    text: Array.from({ length: 5 }, () => random.pick(WORDS)).join(' '),
    to: `user${random.below(5)}${tag === null ? '' : `+${tag}`}@shop.example`,
    toName: random.pick(NAMES),
    cc: random.chance(0.3) ? `copy${random.below(3)}@mail.example` : '',
    replyTo: random.chance(0.3) ? `help${random.below(3)}@mail.example` : '',
    tag,
    hasFile: random.chance(0.3),
  }
}

function rawOf(made: Made): string {
  const headers = [
    'From: Sender <sender@app.example>',
    `To: ${made.toName} <${made.to}>`,
    ...(made.cc ? [`Cc: ${made.cc}`] : []),
    ...(made.replyTo ? [`Reply-To: ${made.replyTo}`] : []),
    `Subject: =?utf-8?b?${Buffer.from(made.subject).toString('base64')}?=`,
    `Message-ID: <number${made.number}@app.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
  ]
  const text = ['--b', 'Content-Type: text/plain; charset=utf-8', '', made.text]
  const file = ['--b', 'Content-Type: application/pdf', 'Content-Disposition: attachment; filename="plan.pdf"', '', 'x']
  return [...headers, '', ...text, ...(made.hasFile ? file : []), '--b--', ''].join('\r\n')
}

/** A part of a search as text, and what it means. */
type Part = { text: string; holds: (mail: Made & { isRead: boolean; receivedAt: number }) => boolean }

function randomPart(random: SeededRandom, middle: number): Part {
  const has = (one: string, other: string) => one.toLowerCase().includes(other.toLowerCase())
  const word = random.pick([...WORDS, 'nothing', 'oice wel'])
  const user = `user${random.below(6)}`
  const quote = (value: string) => (value.includes(' ') || random.chance(0.2) ? `"${value}"` : value)
  const at = new Date(middle).toISOString()
  const parts: Part[] = [
    { text: `to:${user}`, holds: ({ to, toName }) => has(to, user) || has(toName, user) },
    { text: `to:${quote('Carla Lee')}`, holds: ({ toName }) => toName === 'Carla Lee' },
    { text: `To:${quote('dora_x')}`, holds: ({ toName }) => toName === 'dora_x' },
    { text: 'from:SENDER', holds: () => true },
    { text: 'from:other', holds: () => false },
    { text: `cc:copy1`, holds: ({ cc }) => has(cc, 'copy1') },
    { text: 'bcc:user', holds: () => false },
    { text: 'reply-to:help2', holds: ({ replyTo }) => has(replyTo, 'help2') },
    { text: 'addressed:mail.example', holds: ({ cc, replyTo }) => cc !== '' || replyTo !== '' },
    { text: `subject:${quote(word)}`, holds: ({ subject }) => has(subject, word) },
    { text: quote(word), holds: ({ subject, text }) => has(subject, word) || has(text, word) },
    { text: 'plan.pdf', holds: ({ hasFile }) => hasFile },
    { text: 'message-id:number3', holds: ({ number }) => String(number).startsWith('3') },
    { text: 'tag:blue', holds: ({ tag }) => tag === 'Blue' },
    { text: 'is:tagged', holds: ({ tag }) => tag !== null },
    { text: 'is:read', holds: ({ isRead }) => isRead },
    { text: 'IS:unread', holds: ({ isRead }) => !isRead },
    { text: random.pick(['has:attachment', 'has:attachments']), holds: ({ hasFile }) => hasFile },
    { text: 'has:inline', holds: () => false },
    { text: `after:"${at}"`, holds: ({ receivedAt }) => receivedAt >= middle },
    { text: `before:${at}`, holds: ({ receivedAt }) => receivedAt <= middle },
    { text: 'larger:1', holds: () => true },
    { text: 'smaller:1MB', holds: () => true },
    { text: 'larger:1.5m', holds: () => false },
    { text: 'larger:much', holds: () => false },
    { text: 'to:', holds: () => true },
  ]
  const part = random.pick(parts)
  if (part.text === 'to:' || !random.chance(0.3)) return part
  return { text: `${random.pick(['-', '!'])}${part.text}`, holds: (mail) => !part.holds(mail) }
}

test('searches mean what Mailpit documents: 1,000 random ones agree with a plain evaluation', async () => {
  const { compatUrl: url, smtpPort } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  const made = Array.from({ length: MAILS }, (_, number) => makeMail(number))
  const ids = await sendAll(
    MAILPIT,
    { url, smtpPort },
    made.map((mail) => ({ from: 'sender@app.example', to: mail.to, raw: rawOf(mail) })),
  )
  const readIds = ids.filter((_, index) => index % 3 === 0)
  await fetch(`${url}/api/v1/messages`, { method: 'PUT', body: JSON.stringify({ Read: true, IDs: readIds }) })
  const list = (await (await fetch(`${url}/api/v1/messages?limit=0`)).json()) as {
    messages: { ID: string; Created: string }[]
  }
  const createdAt = new Map(list.messages.map(({ ID, Created }) => [ID, Date.parse(Created)]))
  const mails = made.map((mail, index) => ({
    ...mail,
    id: ids[index]!,
    isRead: index % 3 === 0,
    receivedAt: createdAt.get(ids[index]!)!,
  }))
  // Between two messages, because both sides of a time include it.
  const middle = mails[MAILS / 2]!.receivedAt - 1
  const wrong: unknown[] = []
  let matches = 0
  for (let number = 0; number < QUERIES; number++) {
    const random = numberedRandom(11, number)
    const parts = Array.from({ length: 1 + random.below(3) }, () => randomPart(random, middle))
    const query = parts.map(({ text }) => text).join(' ')
    const expected = mails.filter((mail) => parts.every(({ holds }) => holds(mail))).map(({ id }) => id)
    const answer = await fetch(`${url}/api/v1/search?limit=100&query=${encodeURIComponent(query)}`)
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
    if (!isRight) wrong.push({ query, expected, found, body: { ...body, messages: [] } })
  }
  expect(wrong).toEqual([])
  // Enough searches find something.
  expect(matches).toBeGreaterThan(QUERIES)
})
