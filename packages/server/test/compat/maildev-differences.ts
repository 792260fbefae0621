import { readFileSync } from 'node:fs'
import { areErrors, areSamePages, isText } from './rule-parts.ts'
import type { Difference, IntendedDifference } from './differences.ts'

const OUR_VERSION = // What every package has.
(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version

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
  {
    path: /\.source$/,
    why: '`source` is a file name',
    holds: ({ peer, ours }) => /\/\w{8}\.eml$/.test(String(peer)) && /^\w{22}\.eml$/.test(String(ours)),
    rejects: { ours: '/data/x.eml' },
  },
  {
    path: /\.html$/,
    why: '`html` is that of the mail',
    holds: ({ peer, ours }) => withoutImage(peer) === withoutImage(ours),
    rejects: { ours: '<p>Other' },
  },
  {
    path: /\/html\.body$/,
    why: '`/email/:id/html` is cleaned, without scripts and remote content',
    holds: (found) => areSamePages(found) && String(found.ours).startsWith('<!doctype html>'),
    rejects: { ours: '<!doctype html><p>Other' },
  },
  {
    path: /\/config\.body\.version$/,
    why: '`version` is that of Mailhatch',
    holds: ({ ours }) => ours === OUR_VERSION,
    rejects: { ours: '1' },
  },
  {
    path: /\/config\.body\.smtpPort$/,
    why: '`smtpPort` is the port',
    holds: ({ ours, runs }) => ours === runs.ours.smtpPort,
    rejects: { ours: 1 },
  },
  {
    path: /\.body(?:\.error)?$/,
    why: 'Errors have other texts',
    holds: (found) => areErrors(found) && isText(found.peer) && isText(errorIn(found.ours)),
    rejects: { answers: { peer: { status: 200, body: 'one' }, ours: { status: 200, body: 'other' } } },
  },
]

const SECOND: IntendedDifference[] = [
  {
    path: /\.attachments\.#\.(?:checksum|transferEncoding)$/,
    why: 'Attachments have no `checksum` and `transferEncoding`',
    holds: ({ peer, ours }) => isText(peer) && ours === undefined,
    rejects: { ours: '' },
  },
  {
    path: /\.attachments\.#\.generatedFileName$/,
    why: '`generatedFileName` is the same in both versions',
    holds: ({ peer, ours }) => [peer, ours].every((name) => /^[0-9a-f]{32}\.pdf$/.test(String(name))),
    rejects: { ours: 'data.pdf' },
  },
  {
    path: /\.attachments\.#\.contentId$/,
    why: '`contentId` is only there if the mail has it',
    holds: ({ peer, ours }) => String(peer).endsWith('@mailparser') && ours === undefined,
    rejects: { peer: 'logo@app.example' },
  },
  {
    path: /\.size$/,
    why: '`size` is that of the whole mail',
    holds: ({ peer, ours }) => typeof ours === 'number' && Number(peer) < ours,
    rejects: { ours: 0 },
  },
  {
    path: /\.sizeHuman$/,
    why: '`size` is that of the whole mail',
    holds: ({ ours, beside }) => ours === humanSize(sizeIn(beside.ours)) && sizeIn(beside.peer) < sizeIn(beside.ours),
    rejects: { ours: '1 KB' },
  },
  {
    path: /^DELETE \/email\/\{\d+\}\.status$/,
    why: 'Deleting an unknown email is a 404',
    holds: ({ peer, ours }) => peer === 500 && ours === 404,
    rejects: { ours: 200 },
  },
]

const THIRD: IntendedDifference[] = [
  {
    path: /\.text$/,
    why: 'Text that is made of HTML is not wrapped',
    holds: ({ peer, ours }) => onOneLine(peer) === onOneLine(ours),
    rejects: { ours: 'Another text' },
  },
  {
    path: /\/summary\.body\.unread$/,
    why: '`unread` counts the emails that are not read',
    holds: (found) => Number(found.peer) > Number(found.ours) && found.ours === unreadIn(found),
    rejects: { ours: 0 },
  },
]

function errorIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'error' in body ? body.error : body
}

function sizeIn(email: unknown): number {
  // Each email has its size.
  return (email as { size: number }).size
}

/** As version 2 writes it. The mails are smaller than a gigabyte. */
function humanSize(bytes: number): string {
  const [unit, name] = bytes >= 1024 ** 2 ? [1024 ** 2, 'MB'] : bytes >= 1024 ? [1024, 'KB'] : [1, 'bytes']
  return `${Math.round((bytes / unit) * 100) / 100} ${name}`
}

/** How many emails no call has opened. */
function unreadIn({ before, answers }: Difference): number {
  const opened = before.filter(({ method, path }) => method === 'GET' && /^\/api\/email\/\{\d+\}$/.test(path))
  // The body of a summary.
  return (answers.ours.body as { storeTotal: number }).storeTotal - new Set(opened.map(({ path }) => path)).size
}
