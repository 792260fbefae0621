/** What may differ between Mailpit's answer and ours, by the path of the value. docs/guide/mailpit-api.md explains each. */
export type IntendedDifference = { path: RegExp; why: string; holds?: (peer: unknown, ours: unknown) => boolean }

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

export type Difference = { call: string; path: string; peer: unknown; ours: unknown }

/** All values that differ, with `#` for the places of lists. */
export function differencesOf(call: string, peer: unknown, ours: unknown, path: string): Difference[] {
  if (typeof peer !== 'object' || typeof ours !== 'object' || peer === null || ours === null) {
    return peer === ours ? [] : [{ call, path, peer, ours }]
  }
  const names = new Set([...Object.keys(peer), ...Object.keys(ours)])
  return Array.from(names).flatMap((name) => {
    // The keys of both are strings.
    const [one, other] = [(peer as Record<string, unknown>)[name], (ours as Record<string, unknown>)[name]]
    return differencesOf(call, one, other, `${path}.${Array.isArray(peer) ? '#' : name}`)
  })
}

export function intentionOf({ path, peer, ours }: Difference): IntendedDifference | undefined {
  return INTENDED_DIFFERENCES.find((one) => one.path.test(path) && (one.holds?.(peer, ours) ?? true))
}
