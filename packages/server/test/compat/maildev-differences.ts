import type { IntendedDifference } from './comparison.ts'

const isText = (value: unknown) => typeof value === 'string'
/** MailDev's parser wraps lines. */
const onOneLine = (value: unknown) => String(value).replaceAll(/\s+/g, ' ').trim()
/** MailDev 3 puts the image into the HTML. Both versions clean it when it is asked for, which moves the end of the last line. */
const withoutImage = (value: unknown) =>
  String(value)
    .replaceAll(/data:image\/png;base64,[^"]*/g, 'cid:logo@app.example')
    .replaceAll('\n', '')

/** docs/guide/maildev-api.md explains each. */
export function differencesFrom(version: 2 | 3): IntendedDifference[] {
  return [...BOTH, ...(version === 2 ? SECOND : THIRD)]
}

const BOTH: IntendedDifference[] = [
  { path: /\.source$/, why: '`source` is a file name', holds: (_, ours) => /^\w{22}\.eml$/.test(String(ours)) },
  {
    path: /\.html$/,
    why: '`html` is that of the mail',
    holds: (peer, ours) => withoutImage(peer) === withoutImage(ours),
  },
  { path: /\/config\.body\.version$/, why: '`version` is that of Mailhatch', holds: (_, ours) => isText(ours) },
  { path: /\/config\.body\.smtpPort$/, why: '`smtpPort` is the port', holds: (_, ours) => typeof ours === 'number' },
  {
    path: /\.body(?:\.error)?$/,
    why: 'Errors have other texts',
    holds: (peer, ours) =>
      isText(peer) && (isText(ours) || (typeof ours === 'object' && ours !== null && 'error' in ours)),
  },
]

const SECOND: IntendedDifference[] = [
  {
    path: /\.attachments\.#\.(?:checksum|transferEncoding)$/,
    why: 'Attachments have no `checksum` and `transferEncoding`',
    holds: (peer, ours) => isText(peer) && ours === undefined,
  },
  {
    path: /\.attachments\.#\.generatedFileName$/,
    why: '`generatedFileName` is the same in both versions',
    holds: (peer, ours) => [peer, ours].every((name) => /^[0-9a-f]{32}\.pdf$/.test(String(name))),
  },
  {
    path: /\.attachments\.#\.contentId$/,
    why: '`contentId` is only there if the mail has it',
    holds: (peer, ours) => String(peer).endsWith('@mailparser') && ours === undefined,
  },
  {
    path: /\.size(?:Human)?$/,
    why: '`size` is that of the whole mail',
    holds: (peer, ours) => Number.parseFloat(String(peer)) < Number.parseFloat(String(ours)) || isText(peer),
  },
  {
    path: /^DELETE \/email\/\{\d+\}\.status$/,
    why: 'Deleting an unknown email is a 404',
    holds: (peer, ours) => peer === 500 && ours === 404,
  },
]

const THIRD: IntendedDifference[] = [
  {
    path: /\.text$/,
    why: 'Text that is made of HTML is not wrapped',
    holds: (peer, ours) => onOneLine(peer) === onOneLine(ours),
  },
  {
    path: /\/summary\.body\.unread$/,
    why: '`unread` counts the emails that are not read',
    holds: (peer, ours) => Number(peer) > Number(ours),
  },
]
