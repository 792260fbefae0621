import {
  answered,
  OUR_VERSION,
  areArrivals,
  areErrors,
  areSamePages,
  isText,
  shownIn,
  valuesNamed,
} from './rule-parts.ts'
import type { Difference, IntendedDifference } from './differences.ts'

const withoutReturns = (value: unknown) => String(value).replaceAll('\r\n', '\n')
const isSameTime = ({ peer, ours }: Difference) => Date.parse(String(peer)) === Date.parse(String(ours))
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The table of docs/guide/mailpit-api.md. */
export const INTENDED_DIFFERENCES: IntendedDifference[] = [
  {
    difference: 'Of the recipients that no header names, a key of a mailbox sees only those of its mailbox',
    why: "each address has its own messages in our API, so that tests do not see each other's mail",
    shownBy: shownIn(
      'several-recipients',
      'Mailpit: a mail with several recipients is one message, in lists, counts and searches',
    ),
  },
  {
    difference: 'No headers are added to a mail; `/headers` adds `Return-Path` and `Bcc` if they are missing',
    why: '`/raw` shows what was received; Mailpit adds `Received`, `Return-Path`, and `Bcc` or `Message-ID` if they are missing',
    shownBy: [
      {
        path: /\/headers\.body\.Received(?:\.#)?$/,
        holds({ answers }) {
          const [theirs, mine] = [answers.peer, answers.ours].map(({ body }) =>
            listOf(valuesNamed('Received', body)[0]),
          )
          return JSON.stringify(theirs!.slice(1)) === JSON.stringify(mine)
        },
        rejects: { answers: { peer: answered({ Received: ['a', 'b'] }), ours: answered({ Received: ['c'] }) } },
      },
      {
        path: /\/headers\.body\.(?:Return-Path|Message-Id)(?:\.#)?$/,
        holds: ({ peer, ours, path }) =>
          ours === undefined || (path.includes('Return-Path') && ours === '<bounce@app.example>' && isText(peer)),
        rejects: { ours: '<added@app.example>' },
      },
      {
        path: /\.MessageID$/,
        holds: ({ peer, ours }) => /^\w{22}@mailpit$/.test(String(peer)) && ours === '',
        rejects: { ours: 'added' },
      },
      {
        path: /\/raw\.body$/,
        holds: ({ peer, ours }) =>
          isText(peer) && isText(ours) && ours.length > 0 && peer.endsWith(ours.slice(ours.indexOf('\r\n\r\n'))),
        rejects: { ours: 'Another mail' },
      },
    ],
  },
  {
    difference: 'Mail by `POST /api/v1/send` is stored at once',
    why: 'it does not come by SMTP, so scenarios and the ledger of attempts do not apply; `SMTP_ALLOWED_DOMAINS`, `SMTP_MAX_SIZE` and the check for free disk space do',
    shownBy: shownIn(
      'mailpit-client',
      'what is sent passes the limits of SMTP: allowed domains, size and free disk space',
    ),
  },
  {
    difference: 'From of a mail without that header is the sender that SMTP names',
    why: 'as in our API; Mailpit has an empty address',
    shownBy: [
      {
        path: /\.From\.Address$/,
        holds: ({ peer, ours }) => peer === '' && ours === 'odd@odd.example',
        rejects: { ours: 'ann@app.example' },
      },
    ],
  },
  {
    difference: 'Size is that of the mail as received',
    why: 'it has no added headers',
    shownBy: [
      {
        path: /\.Size$/,
        holds: ({ peer, ours }) => typeof ours === 'number' && Number(peer) > ours && Number(peer) - ours < 400,
        rejects: { ours: '1' },
      },
    ],
  },
  {
    difference: 'Created is the time of arrival in UTC with milliseconds, and Date is in UTC',
    why: 'the same times, written differently',
    shownBy: [
      { path: /\.Created$/, holds: areArrivals, rejects: { ours: '2020-01-01T00:00:00.000Z' } },
      {
        path: /\.Date$/,
        // A mail without a date has that of its arrival.
        holds: (found) => String(found.ours).endsWith('Z') && (isSameTime(found) || areArrivals(found)),
        rejects: { ours: '2026-11-10T08:00:01.000Z' },
      },
    ],
  },
  {
    difference: 'Lines of Text and HTML end in LF',
    why: 'messages are stored so; `/raw` has the line ends of the mail',
    shownBy: [
      {
        path: /\.(?:Text|HTML)$|^GET \/view\/.*\.txt\.body$/,
        holds: ({ peer, ours }) => withoutReturns(peer) === ours,
        rejects: { ours: 'Another text' },
      },
    ],
  },
  {
    difference: 'PartID is the index of the attachment in our API',
    why: 'take it from the message, as clients do',
    shownBy: [
      {
        path: /\.PartID$/,
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
    ],
  },
  {
    difference: 'A recipient that no header names is added to Bcc, also if the mail has a Bcc header',
    why: 'Mailpit does so only without that header',
    shownBy: shownIn(
      'several-recipients',
      'Mailpit: a mail with several recipients is one message, in lists, counts and searches',
    ),
  },
  {
    difference: 'A list names only the tags of the messages in it',
    why: '`GET /api/v1/tags` and `/api/v1/info` count those of all messages',
    shownBy: [
      {
        path: /\.body\.tags\.#$/,
        holds({ answers }) {
          const [theirs, mine] = [answers.peer, answers.ours].map(({ body }) => valuesNamed('tags', body).flat())
          const ofMessages = valuesNamed('Tags', answers.ours.body).flat()
          const isWhole = ofMessages.length === 0 || mine!.every((tag) => ofMessages.includes(tag))
          return isWhole && mine!.every((tag) => theirs!.includes(tag)) && mine!.length < theirs!.length
        },
        rejects: { answers: { peer: answered({ tags: ['red'] }), ours: answered({ tags: ['blue'] }) } },
      },
    ],
  },
  {
    difference: 'Tags that are set, renamed or deleted change only what this API shows',
    why: 'a message belongs to its address, so the tag of the address, our own `tag` and waits stay; mail that comes later has the tags of its address and of `X-Tags` again',
    shownBy: shownIn('mailpit-tags', 'the address, its tag and waits for it stay as they are'),
  },
  {
    difference:
      'Renaming and deleting a tag look at the newest 50,000 messages, and a message has at most 100 tags with 2,000 characters together',
    why: 'limits of memory and time',
    shownBy: shownIn('mailpit-tags', 'what cannot be read, too many tags and unknown ids change nothing'),
  },
  {
    difference: 'Tags that are set for unknown ids are ignored',
    why: 'Mailpit lists them, for no message',
    shownBy: shownIn('mailpit-tags', 'what cannot be read, too many tags and unknown ids change nothing'),
  },
  {
    difference:
      'A mail can write a tag in other case than earlier ones, as in `qa+RED@shop.example`. It is the same tag, and lists of tags write it as the oldest message does',
    why: 'each mail shows what it has; Mailpit writes a tag as it was first',
    shownBy: shownIn('mailpit-tags', 'a suite sets, renames and deletes tags %s'),
  },
  {
    difference: '`_` and `%` in a search stand for themselves, and case does not matter for any letter',
    why: 'in Mailpit, `_` is any character, and case matters for letters such as Ä',
    shownBy: shownIn(
      'mailpit-search',
      'searches mean what Mailpit documents: 1,000 random ones agree with a plain evaluation',
    ),
  },
  {
    difference: 'A date or time zone that cannot be read, and a body that is not JSON, is a 400',
    why: 'Mailpit ignores them, and then a deletion deletes everything',
    shownBy: shownIn('mailpit-client', 'bad input is refused and changes nothing'),
  },
  {
    difference: 'A deletion or marking by a search that says nothing, such as `to:` or `""`, is a 400',
    why: 'in Mailpit, it is of every message',
    shownBy: shownIn('mailpit-client', 'bad input is refused and changes nothing'),
  },
  {
    difference:
      'Lists and searches look at the newest 50,000 messages, and older mail with several recipients counts as several',
    why: 'limits of memory and time; Mailpit keeps 500 messages by default',
    shownBy: { file: 'src/compat/walk.test.ts', test: 'a search looks at the newest 50,000 messages' },
  },
  {
    difference: 'A list has at most 1,000 messages',
    why: 'a limit of memory',
    shownBy: shownIn('mailpit-client', 'a list has at most 1,000 messages'),
  },
  {
    difference: '`/view/{ID}.html` is cleaned, without scripts and remote content, and files are only saved',
    why: 'mail is written by strangers; the field `HTML` has all of it',
    shownBy: [
      {
        path: /^GET \/view\/.*\.html\.body$/,
        holds: (found) => areSamePages(found) && String(found.ours).startsWith('<!doctype html>'),
        rejects: { ours: '<!doctype html><p>Other' },
      },
    ],
  },
  {
    difference:
      '`/part/{PartID}/thumb` is the part itself, if it is a PNG, JPEG, GIF, WebP, AVIF or BMP of at most 1 MB, and otherwise a blank PNG',
    why: 'a browser shows it as small as the page says; Mailpit makes a JPEG of 180 x 120',
    shownBy: shownIn('mailpit-client', 'the thumbnail of a small raster image is the image, and others are blank'),
  },
  {
    difference: 'A thumbnail of a part that does not exist is a 404',
    why: 'Mailpit responds with 400',
    shownBy: [
      {
        path: /\/thumb\.status$/,
        holds: ({ peer, ours }) => peer === 400 && ours === 404,
        rejects: { peer: 200 },
      },
    ],
  },
  {
    difference: '`Database`, `DatabaseSize` and the figures of SMTP in `/api/v1/info` are empty or 0',
    why: 'they are not known, or are of all teams; see [metrics](../operate/monitoring.md)',
    shownBy: [
      {
        path: /\/info\.body\.(?:Database|DatabaseSize|RuntimeStats\.(?:Memory|SMTP\w+))$/,
        holds: ({ ours }) => ours === '' || ours === 0,
        rejects: { ours: 1 },
      },
    ],
  },
  {
    difference: '`Version` is that of Mailhatch',
    why: 'this is Mailhatch',
    shownBy: [
      { path: /\/info\.body\.Version$/, holds: ({ ours }) => ours === `v${OUR_VERSION}`, rejects: { ours: 'v1' } },
    ],
  },
  {
    difference: 'Errors have other texts',
    why: 'their status is the same where Mailpit has one',
    shownBy: [
      {
        path: /^GET \/api\/v1\/message\/[^/]*(?:\/part\/.*)?\.body$/,
        holds: (found) => isText(found.peer) && isText(found.ours) && found.ours !== '' && areErrors(found),
        rejects: { answers: { peer: answered('one'), ours: answered('other') } },
      },
    ],
  },
]
