import { areArrivals, isText } from './rule-parts.ts'
import type { Difference, IntendedDifference } from './differences.ts'

export const INTENDED_DIFFERENCES: IntendedDifference[] = [
  {
    path: /\.Created$/,
    why: 'Created is the time of arrival in UTC with milliseconds',
    holds: areArrivals,
    rejects: { ours: '2020-01-01T00:00:00.000Z' },
  },
  {
    path: /\.Headers\.Received\.#$/,
    why: 'The added Received header names Mailhatch',
    holds: ({ peer, ours }) =>
      /^from .* by mailhog\.example \(MailHog\)/.test(String(peer)) &&
      /^from sender\.example by mailhatch \(Mailhatch\)\r\n {10}id \w{22}; \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/.test(
        String(ours),
      ),
    rejects: { ours: 'from sender.example by mailhatch (Mailhatch)' },
  },
  {
    path: /\.Raw\.Helo$/,
    why: 'Raw.Helo is there for every mail of a connection',
    holds: ({ peer, ours }) => peer === '' && ours === 'sender.example',
    rejects: { ours: 'other.example' },
  },
  {
    path: /^GET \/api\/v2\/search\.body\.(?:count|items\.#)$/,
    why: 'A page that starts at the end is empty',
    holds: (found) =>
      startOf(found) >= totalOf(found) &&
      ((found.peer === 1 && found.ours === 0) || (/^\{\d+\}$/.test(String(found.peer)) && found.ours === undefined)),
    rejects: { call: { method: 'GET', path: '/api/v2/search?kind=to&query=example&start=0' } },
  },
  {
    path: /^(?:GET|DELETE) \/api\/v1\/messages\/.*\.status$/,
    why: 'A message or part that does not exist is a 404',
    holds: ({ peer, ours }) => (peer === 0 || peer === 500) && ours === 404,
    rejects: { peer: 200 },
  },
  {
    path: /\.body$/,
    why: 'Errors have a text',
    holds: ({ peer, ours, answers }) => peer === '' && isText(ours) && ours !== '' && answers.ours.status >= 400,
    rejects: { answers: { peer: { status: 200, body: '' }, ours: { status: 200, body: 'x' } } },
  },
]

function startOf({ call }: Difference): number {
  return Number(new URL(call.path, 'http://localhost').searchParams.get('start'))
}

function totalOf({ answers }: Difference): number {
  // The body of a page.
  return (answers.ours.body as { total: number }).total
}
