import type { Header } from '@mailhatch/sdk'
import { fold } from '../../packages/server/src/domain/fold.ts'
import { newId } from '../../packages/server/src/random.ts'
import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import type { NewMessage } from '../../packages/server/src/store/messages.ts'

/** The frequency of a term: a few messages, one in a hundred, or more than half. */
export const RARE_HITS = 4
export const COMMON_SHARE = 100

const SENTENCES = 4_000
const WORDS = 3_000
/** Sentences of about 60 characters: 2 kB. */
const SENTENCES_PER_BODY = 30
const DAY_MS = 86_400_000

/** A deterministic pseudo-random number below `below` for an index in a series (splitmix32). */
export function drawAt(series: number, index: number, below: number): number {
  let mixed = (Math.imul(index, 0x9e3779b9) + Math.imul(series, 0x632be5ab)) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) % below
}

const SYLLABLES = 'an be con der el for ga hin is jo ka lin men nor on per que re sta ti un ver wan xi yo zu'.split(' ')

function word(number: number): string {
  const length = 1 + drawAt(1, number, 3)
  return Array.from({ length }, (_, index) => SYLLABLES[drawAt(2 + index, number, SYLLABLES.length)]).join('')
}

/** A skewed distribution: few words are frequent, as in natural language. */
function frequentWord(series: number, index: number): string {
  return word(Math.floor(WORDS ** (drawAt(series, index, 1_000) / 1_000)))
}

const sentences = Array.from({ length: SENTENCES }, (_, sentence) => {
  const words = Array.from({ length: 9 + drawAt(10, sentence, 5) }, (_, place) => frequentWord(11 + place, sentence))
  return `${words.join(' ')}.`
})

/** Five letters and digits for a number, unlike those of neighbouring numbers. */
function code(series: number, number: number): string {
  const mixed = drawAt(series, number, 36 ** 5)
  return (mixed + 36 ** 5).toString(36).slice(1)
}

/** The search terms. The same number always selects the same messages. */
export const terms = {
  rare: {
    subject: (number: number) => `order ${code(20, number)}`,
    from: (number: number) => `kim.${code(21, number)}@`,
    to: (number: number) => `run-${code(22, number)}`,
    body: (number: number) => `voucher ${code(23, number)}`,
    header: (number: number) => ({ name: 'X-Run', value: `run ${code(24, number)}` }),
  },
  common: {
    subject: (number: number) => `for ${word(5_000 + number)} `,
    from: (number: number) => `@${word(6_000 + number)}${number}.example`,
    to: (number: number) => `box${number}+`,
    body: (number: number) => `about ${word(7_000 + number)}${number} `,
    header: (number: number) => ({ name: 'X-Campaign', value: `campaign ${number}` }),
  },
  frequent: {
    subject: 'your order',
    from: 'shop ',
    to: 'in.example',
    body: 'unsubscribe',
    header: { name: 'MIME-Version', value: '1.0' },
  },
}

/** Message `index` of a team with `count` messages. */
export function messageAt(index: number, count: number, mailboxes: Mailbox[], now: number): NewMessage {
  const rare = drawAt(30, index, Math.floor(count / RARE_HITS))
  const common = (series: number) => drawAt(series, index, COMMON_SHARE)
  const isFrequent = drawAt(31, index, 100) < 60
  const mailbox = mailboxes[common(32)]!
  const tag = terms.rare.to(rare)
  // Mail arrives almost in the order of its date.
  const receivedAt = Math.floor(now - 13 * DAY_MS + (index / count) * 12 * DAY_MS + drawAt(33, index, 5_000))
  const from = `${isFrequent ? 'news@' : terms.rare.from(rare)}${terms.common.from(common(34)).slice(1)}`
  const fromName = isFrequent ? 'Shop Kim' : 'Kim'
  const to = `${mailbox.name}+${tag}@${mailbox.domain}`
  const greeting = isFrequent ? 'Your order' : 'News'
  const subject = `${greeting} ${terms.common.subject(common(35))}and ${terms.rare.subject(rare)}`
  const text = body(index, [
    terms.rare.body(rare),
    terms.common.body(common(36)),
    isFrequent ? terms.frequent.body : 'bye',
  ])
  const headers = headersOf({ index, rare, campaign: common(37), subject, from, to })
  return {
    id: newId(receivedAt),
    domain: mailbox.domain,
    objectMailbox: mailbox.name,
    tenantSubdomain: null,
    mailboxWithTag: `${mailbox.name}+${tag}`,
    tag,
    from,
    fromName,
    to,
    subject,
    receivedAt,
    storedAt: receivedAt,
    size: text.length + 1_000,
    headers,
    html: null,
    text,
    codes: [],
    links: [],
    attachments: [],
    envelope: null,
    parse: 'complete',
    subjectFolded: fold(subject),
    fromFolded: fold(`${fromName} <${from}>`),
    toFolded: fold(to),
    mailboxWithTagFolded: fold(`${mailbox.name}+${tag}`),
    bodyFolded: fold(text),
  }
}

function body(index: number, terms: string[]): string {
  const all = Array.from({ length: SENTENCES_PER_BODY }, (_, place) => sentences[drawAt(50 + place, index, SENTENCES)]!)
  terms.forEach((term, place) => all.splice(5 * place, 0, `${term} ${sentences[place]}`))
  return all.join('\n')
}

type Facts = { index: number; rare: number; campaign: number; subject: string; from: string; to: string }

function headersOf({ index, rare, campaign, subject, from, to }: Facts): Header[] {
  const signature = Array.from({ length: 8 }, (_, place) => code(80 + place, index)).join('')
  return [
    {
      name: 'Received',
      value: `from mail.example (mail.example [192.0.2.${index % 250}]) by in.example id ${code(25, index)}`,
    },
    {
      name: 'DKIM-Signature',
      value: `v=1; a=rsa-sha256; d=example; s=mail; h=from:to:subject:date; bh=${signature}; b=${signature}`,
    },
    { name: 'From', value: from },
    { name: 'To', value: to },
    { name: 'Subject', value: subject },
    { name: 'Date', value: `Fri, 1 May 2026 12:${index % 60}:00 +0000` },
    { name: 'Message-ID', value: `<${code(26, index)}.${index}@mail.example>` },
    { name: 'Content-Type', value: 'text/plain; charset=utf-8' },
    terms.frequent.header,
    terms.rare.header(rare),
    terms.common.header(campaign),
  ]
}
