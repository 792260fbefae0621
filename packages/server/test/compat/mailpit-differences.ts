import { areArrivals, areErrors, isText, valuesNamed } from './rule-parts.ts'
import type { Difference, IntendedDifference } from './differences.ts'

const withoutReturns = (value: unknown) => String(value).replaceAll('\r\n', '\n')
const isSameTime = ({ peer, ours }: Difference) => Date.parse(String(peer)) === Date.parse(String(ours))
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const INTENDED_DIFFERENCES: IntendedDifference[] = [
  {
    path: /\.Created$/,
    why: 'Created is the time of arrival in UTC with milliseconds',
    holds: areArrivals,
    rejects: { ours: '2020-01-01T00:00:00.000Z' },
  },
  {
    path: /\.Date$/,
    why: 'Date is in UTC',
    // A mail without a date has that of its arrival.
    holds: (found) => String(found.ours).endsWith('Z') && (isSameTime(found) || areArrivals(found)),
    rejects: { ours: '2026-11-10T08:00:01.000Z' },
  },
  {
    path: /\.Size$/,
    why: 'Size is that of the mail as received',
    holds: ({ peer, ours }) => typeof ours === 'number' && Number(peer) > ours && Number(peer) - ours < 400,
    rejects: { ours: 1 },
  },
  {
    path: /\.(?:Text|HTML)$|^GET \/view\/.*\.body$/,
    why: 'Lines of Text and HTML end in LF',
    holds: ({ peer, ours }) => withoutReturns(peer) === ours,
    rejects: { ours: 'Another text' },
  },
  {
    path: /\.PartID$/,
    why: 'PartID is the index of the attachment in our API',
    // Each of the peer's stands for another one of ours.
    holds({ ours, answers }) {
      const [theirs, mine] = [answers.peer, answers.ours].map(({ body }) => valuesNamed('PartID', body))
      const pairs = new Set(theirs!.map((id, index) => `${String(id)} ${String(mine![index])}`))
      return (
        /^\d+$/.test(String(ours)) &&
        theirs!.length === mine!.length &&
        [theirs, mine].every((ids) => new Set(ids).size === pairs.size)
      )
    },
    rejects: {
      answers: {
        peer: answered([{ PartID: '1' }, { PartID: '2' }]),
        ours: answered([{ PartID: '0' }, { PartID: '0' }]),
      },
    },
  },
  {
    path: /\.body\.tags\.#$/,
    why: 'A list names only the tags of the messages in it',
    holds({ answers }) {
      const [theirs, mine] = [answers.peer, answers.ours].map(({ body }) => valuesNamed('tags', body).flat())
      const ofMessages = valuesNamed('Tags', answers.ours.body).flat()
      const isWhole = ofMessages.length === 0 || mine!.every((tag) => ofMessages.includes(tag))
      return isWhole && mine!.every((tag) => theirs!.includes(tag)) && mine!.length < theirs!.length
    },
    rejects: { answers: { peer: answered({ tags: ['red'] }), ours: answered({ tags: ['blue'] }) } },
  },
  {
    path: /\/headers\.body\.Received(?:\.#)?$/,
    why: 'No headers are added to a mail',
    holds({ answers }) {
      const [theirs, mine] = [answers.peer, answers.ours].map(({ body }) => listOf(valuesNamed('Received', body)[0]))
      return JSON.stringify(theirs!.slice(1)) === JSON.stringify(mine)
    },
    rejects: { answers: { peer: answered({ Received: ['a', 'b'] }), ours: answered({ Received: ['c'] }) } },
  },
  {
    path: /\/headers\.body\.(?:Return-Path|Bcc)(?:\.#)?$/,
    why: 'No headers are added to a mail',
    holds: ({ peer, ours, path }) =>
      ours === undefined || (path.includes('Return-Path') && ours === '<bounce@app.example>' && isText(peer)),
    rejects: { ours: '<added@app.example>' },
  },
  {
    path: /^GET \/api\/v1\/message\/[^/]*\.body$/,
    why: 'Errors have other texts',
    holds: (found) => isText(found.peer) && isText(found.ours) && found.ours !== '' && areErrors(found),
    rejects: { answers: { peer: answered('one'), ours: answered('other') } },
  },
]

function answered(body: unknown) {
  return { status: 200, body }
}
