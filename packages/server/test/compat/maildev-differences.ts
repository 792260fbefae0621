import { answered, OUR_VERSION, areErrors, areSamePages, isText, shownIn } from './rule-parts.ts'
import type { Difference, IntendedDifference } from './differences.ts'

/** MailDev's parser wraps lines. */
const onOneLine = (value: unknown) => String(value).replaceAll(/\s+/g, ' ').trim()
/** MailDev 3 puts the image into the HTML. Both versions clean it when it is asked for, which moves the end of the last line. */
const withoutImage = (value: unknown) =>
  String(value)
    .replaceAll(/data:image\/png;base64,[^"]*/g, 'cid:logo@app.example')
    .replaceAll(/<\/?(?:html|head|body)>|<meta [^>]*>|\n/g, '')

/** The tables of docs/guide/maildev-api.md: for both versions, and for one alone. */
export const MAILDEV_TABLES: Record<'both' | 2 | 3, IntendedDifference[]> = {
  both: [
    {
      difference: 'A key of a mailbox sees in `envelope.to` and `calculatedBcc` only the recipients of its mailbox',
      why: "each address has its own messages in our API, so that tests do not see each other's mail",
      shownBy: shownIn(
        'several-recipients',
        'MailDev: a mail with several recipients is one email, in lists and counts',
      ),
    },
    {
      difference: 'Ids have 22 letters and digits instead of 8',
      why: 'they are those of our messages, written shorter',
      shownBy: {
        file: 'src/compat/short-id.test.ts',
        test: 'every message id has one short form of 22 letters and digits, and comes back from it',
      },
    },
    {
      difference: 'A mail has at most 100 recipients',
      why: 'further ones get 452, and most senders send the mail again for them',
      shownBy: {
        file: 'src/worker/smtp/smtp-limits.test.ts',
        test: 'limit: the 101st recipient is refused with 452 4.5.3, and the transaction continues',
      },
    },
    {
      difference:
        'A list has the newest 1,000 emails, or fewer if they have more than 16 million characters, and filters look at the newest 50,000',
      why: 'limits of memory and time; with `skip` and `limit`, other parts are there too',
      shownBy: shownIn('maildev-client', 'a list has the newest 1,000 emails whole, and a part of it can be any'),
    },
    {
      difference: '`source` is a file name',
      why: "a path on the server's disk means nothing to a client; `/source` has the mail",
      shownBy: [
        {
          path: /\.source$/,
          holds: ({ peer, ours }) => /\/\w{8}\.eml$/.test(String(peer)) && /^\w{22}\.eml$/.test(String(ours)),
          rejects: { ours: '/data/x.eml' },
        },
      ],
    },
    {
      difference: '`html` is that of the mail',
      why: 'MailDev cleans it when an email is opened, and version 3 puts inline images into it; ours keeps `cid:` links',
      shownBy: [
        {
          path: /\.html$/,
          holds: ({ peer, ours }) => withoutImage(peer) === withoutImage(ours),
          rejects: { ours: '<p>Other' },
        },
      ],
    },
    {
      difference: '`/email/:id/html` is cleaned, without scripts and remote content, and files are only saved',
      why: 'mail is written by strangers',
      shownBy: [
        {
          path: /\/html\.body$/,
          holds: (found) => areSamePages(found) && String(found.ours).startsWith('<!doctype html>'),
          rejects: { ours: '<!doctype html><p>Other' },
        },
      ],
    },
    {
      difference: '`version` is that of Mailhatch, and `smtpPort` is the port that the SMTP listener has',
      why: 'version 3 always says 1025; both are in `/config`',
      shownBy: [
        { path: /\/config\.body\.version$/, holds: ({ ours }) => ours === OUR_VERSION, rejects: { ours: '1' } },
        {
          path: /\/config\.body\.smtpPort$/,
          holds: ({ ours, runs }) => ours === runs.ours.smtpPort,
          rejects: { ours: 1 },
        },
      ],
    },
    {
      difference: 'Errors have other texts',
      why: 'their status is the same where it is not listed here',
      shownBy: [
        {
          path: /\.body(?:\.error)?$/,
          holds: (found) => areErrors(found) && isText(found.peer) && isText(errorIn(found.ours)),
          rejects: { answers: { peer: answered('one'), ours: answered('other') } },
        },
      ],
    },
  ],
  2: [
    {
      difference: 'Attachments have no `checksum` and `transferEncoding`',
      why: 'a list would have to read every mail from disk',
      shownBy: [
        {
          path: /\.attachments\.#\.(?:checksum|transferEncoding)$/,
          holds: ({ peer, ours }) => isText(peer) && ours === undefined,
          rejects: { ours: '' },
        },
      ],
    },
    {
      difference: '`generatedFileName` is the same in both versions',
      why: 'take it from the email, as clients do; files with the same name and size have different ones',
      shownBy: [
        {
          path: /\.attachments\.#\.generatedFileName$/,
          holds: ({ peer, ours }) => [peer, ours].every((name) => /^[0-9a-f]{32}\.pdf$/.test(String(name))),
          rejects: { ours: 'data.pdf' },
        },
      ],
    },
    {
      difference: '`contentId` is only there if the mail has it',
      why: 'MailDev makes one up',
      shownBy: [
        {
          path: /\.attachments\.#\.contentId$/,
          holds: ({ peer, ours }) => String(peer).endsWith('@mailparser') && ours === undefined,
          rejects: { peer: 'logo@app.example' },
        },
      ],
    },
    {
      difference: '`size` is that of the whole mail',
      why: 'MailDev measures a file that is not always complete',
      shownBy: [
        {
          path: /\.size$/,
          holds: ({ peer, ours }) => typeof ours === 'number' && Number(peer) < ours,
          rejects: { ours: 0 },
        },
        {
          path: /\.sizeHuman$/,
          holds: ({ ours, beside }) =>
            ours === humanSize(sizeIn(beside.ours)) && sizeIn(beside.peer) < sizeIn(beside.ours),
          rejects: { ours: '1 KB' },
        },
      ],
    },
    {
      difference: 'Deleting an unknown email is a 404',
      why: 'MailDev answers 500',
      shownBy: [
        {
          path: /^DELETE \/email\/\{\d+\}\.status$/,
          holds: ({ peer, ours }) => peer === 500 && ours === 404,
          rejects: { ours: 200 },
        },
      ],
    },
  ],
  3: [
    {
      difference: 'Text that is made of HTML is not wrapped',
      why: 'MailDev breaks its lines after 80 characters',
      shownBy: [
        {
          path: /\.text$/,
          holds: ({ peer, ours }) => onOneLine(peer) === onOneLine(ours),
          rejects: { ours: 'Another text' },
        },
      ],
    },
    {
      difference: '`unread` counts the emails that are not read',
      why: 'in MailDev, it still counts those that were opened',
      shownBy: [
        {
          path: /\/summary\.body\.unread$/,
          holds: (found) => Number(found.peer) > Number(found.ours) && found.ours === unreadIn(found),
          rejects: { ours: 0 },
        },
      ],
    },
  ],
}

export function differencesFrom(version: 2 | 3): IntendedDifference[] {
  return [...MAILDEV_TABLES.both, ...MAILDEV_TABLES[version]]
}

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
  // Asking for a file by its place opens the email as well.
  const opened = before.flatMap(({ path }) => /^\/api\/email\/(\{\d+\})(?:$|\/attachment\/\{)/.exec(path)?.[1] ?? [])
  // The body of a summary.
  return (answers.ours.body as { storeTotal: number }).storeTotal - new Set(opened).size
}
