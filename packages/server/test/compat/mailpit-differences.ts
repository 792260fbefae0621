import type { IntendedDifference } from './comparison.ts'

const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const withoutReturns = (value: unknown) => String(value).replaceAll('\r\n', '\n')

export const INTENDED_DIFFERENCES: IntendedDifference[] = [
  {
    path: /\.Created$/,
    why: 'Created is the time of arrival in UTC with milliseconds',
    holds: (peer, ours) => isTime(peer) && isTime(ours) && String(ours).endsWith('Z'),
  },
  {
    path: /\.Date$/,
    why: 'Date is in UTC',
    holds: (peer, ours) => isTime(peer) && isTime(ours),
  },
  {
    path: /\.Size$/,
    why: 'Size is that of the mail as received',
    holds: (peer, ours) => typeof ours === 'number' && Number(peer) > ours && Number(peer) - ours < 400,
  },
  {
    path: /\.(?:Text|HTML)$|^GET \/view\/.*\.body$/,
    why: 'Lines of Text and HTML end in LF',
    holds: (peer, ours) => withoutReturns(peer) === ours,
  },
  { path: /\.PartID$/, why: 'PartID is the index of the attachment in our API' },
  { path: /\.body\.tags\.#$/, why: 'A list names only the tags of the messages in it' },
  {
    path: /\/headers\.body\.(?:Received|Return-Path|Bcc)(?:\.#)?$/,
    why: 'No headers are added to a mail',
    holds: (_, ours) => ours === undefined || typeof ours === 'string',
  },
  {
    path: /^GET \/api\/v1\/message\/[^/]*\.body$/,
    why: 'Errors have other texts',
    holds: (peer, ours) => typeof peer === 'string' && typeof ours === 'string',
  },
]
