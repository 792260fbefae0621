import type { IntendedDifference } from './comparison.ts'

const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isText = (value: unknown) => typeof value === 'string'

export const INTENDED_DIFFERENCES: IntendedDifference[] = [
  {
    path: /\.Created$/,
    why: 'Created is the time of arrival in UTC with milliseconds',
    holds: (peer, ours) => isTime(peer) && isTime(ours) && String(ours).endsWith('Z'),
  },
  {
    path: /\.Headers\.Received\.#$/,
    why: 'The added Received header names Mailhatch',
    holds: (peer, ours) =>
      /^from .* by mailhog\.example \(MailHog\)/.test(String(peer)) &&
      /^from sender\.example by mailhatch \(Mailhatch\)\r\n {10}id \w{22}; \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/.test(
        String(ours),
      ),
  },
  {
    path: /\.Raw\.Helo$/,
    why: 'Raw.Helo is there for every mail of a connection',
    holds: (peer, ours) => peer === '' && ours === 'sender.example',
  },
  {
    path: /^GET \/api\/v2\/search\.body\.(?:count|items\.#)$/,
    why: 'A page that starts at the end is empty',
    holds: (peer, ours) => (peer === 1 && ours === 0) || (/^\{\d+\}$/.test(String(peer)) && ours === undefined),
  },
  {
    path: /^(?:GET|DELETE) \/api\/v1\/messages\/.*\.status$/,
    why: 'A message or part that does not exist is a 404',
    holds: (peer, ours) => (peer === 0 || peer === 500) && ours === 404,
  },
  {
    path: /\.body$/,
    why: 'Errors have a text',
    holds: (peer, ours) => peer === '' && isText(ours) && ours !== '',
  },
]
