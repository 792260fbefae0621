import { answered, areArrivals, isText, shownIn } from './rule-parts.ts'
import type { Difference, IntendedDifference } from './differences.ts'

/** The table of docs/guide/mailhog-api.md. */
export const INTENDED_DIFFERENCES: IntendedDifference[] = [
  {
    difference: 'A key of a mailbox sees in `To` and `Raw.To` only the recipients of its mailbox',
    why: "each address has its own messages in our API, so that tests do not see each other's mail",
    shownBy: shownIn(
      'several-recipients',
      'MailHog: a mail with several recipients is one message, in lists, counts and searches',
    ),
  },
  {
    difference: 'IDs have 22 letters and digits',
    why: 'they stand for the ids of our API, which work as well; those of a mail with several recipients for all of them',
    shownBy: {
      file: 'src/compat/short-id.test.ts',
      test: 'every message id has one short form of 22 letters and digits, and comes back from it',
    },
  },
  {
    difference: 'Created is the time of arrival in UTC with milliseconds',
    why: 'the same time, written differently',
    shownBy: [{ path: /\.Created$/, holds: areArrivals, rejects: { ours: '2020-01-01T00:00:00.000Z' } }],
  },
  {
    difference: 'The added Received header names Mailhatch',
    why: 'the mail came here',
    shownBy: [
      {
        path: /\.Headers\.Received\.#$/,
        holds: ({ peer, ours }) =>
          /^from .* by mailhog\.example \(MailHog\)/.test(String(peer)) &&
          /^from sender\.example by mailhatch \(Mailhatch\)\r\n {10}id \w{22}; \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/.test(
            String(ours),
          ),
        rejects: { ours: 'from sender.example by mailhatch (Mailhatch)' },
      },
    ],
  },
  {
    difference: 'Raw.Helo is there for every mail of a connection',
    why: 'MailHog forgets it after the first',
    shownBy: [
      {
        path: /\.Raw\.Helo$/,
        holds: ({ peer, ours }) => peer === '' && ours === 'sender.example',
        rejects: { ours: 'other.example' },
      },
    ],
  },
  {
    difference: 'A page that starts at the end is empty',
    why: 'MailHog repeats the oldest message there',
    shownBy: [
      {
        path: /^GET \/api\/v2\/search\.body\.(?:count|items\.#)$/,
        holds: (found) =>
          startOf(found) >= totalOf(found) &&
          ((found.peer === 1 && found.ours === 0) ||
            (/^\{\d+\}$/.test(String(found.peer)) && found.ours === undefined)),
        rejects: { call: { method: 'GET', path: '/api/v2/search?kind=to&query=example&start=0' } },
      },
    ],
  },
  {
    difference:
      'A message or part that does not exist is a 404, except that `GET /api/v1/messages/{ID}` is `null` as in MailHog',
    why: 'MailHog responds with 500, or closes the connection',
    shownBy: [
      {
        path: /^(?:GET|DELETE) \/api\/v1\/messages\/.*\.status$/,
        holds: ({ peer, ours }) => (peer === 0 || peer === 500) && ours === 404,
        rejects: { peer: 200 },
      },
    ],
  },
  {
    difference: 'Errors have a text',
    why: 'MailHog responds with an empty body; the status is the same where MailHog has one',
    shownBy: [
      {
        path: /\.body$/,
        holds: ({ peer, ours, answers }) => peer === '' && isText(ours) && ours !== '' && answers.ours.status >= 400,
        rejects: { answers: { peer: answered(''), ours: answered('x') } },
      },
    ],
  },
  {
    difference: '`/download` is the mail as received',
    why: 'MailHog writes its headers in any order, and one of each name',
    shownBy: [
      {
        path: /\/messages\/[^/]*\/download\.body$/,
        holds({ peer, ours }) {
          const [theirs, mine] = [partsOf(peer), partsOf(ours)]
          return theirs.body === mine.body && mine.names.every((name) => theirs.names.includes(name))
        },
        rejects: { ours: 'Subject: Other\r\n\r\nAnother mail\r\n' },
      },
    ],
  },
  {
    difference: '`containing` searches the decoded headers, text and HTML, and the names and types of files',
    why: 'MailHog searches the encoded mail, and does not find words in base64 or encoded subjects',
    shownBy: shownIn('mailhog-client', 'a suite with the client mailhog runs %s'),
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
    difference: 'A search looks at the newest 50,000 messages',
    why: 'a limit of time',
    shownBy: { file: 'src/compat/walk.test.ts', test: 'a search looks at the newest 50,000 messages' },
  },
  {
    difference: 'Parts are shown down to 10 levels, and up to 1,000 of them, with 256 KiB of headers each',
    why: 'each level repeats what is inside of it',
    shownBy: {
      file: 'src/compat/mailhog/content.test.ts',
      test: 'hostile mail has a limited number of parts and levels',
    },
  },
  {
    difference:
      'Files are only saved: the download of a part has its `Content-Type` and file name, and none of its other headers',
    why: 'mail is written by strangers',
    shownBy: shownIn(
      'mailhog-access',
      'files are only saved, and the headers of a part do not become headers of the response',
    ),
  },
  {
    difference: 'Events of mail over 1 MiB have no bodies and parts, and no `Raw.Data`',
    why: 'an event has the mail several times; get the message by its ID',
    shownBy: shownIn('mailhog-events', '%s gets each new message, as the API shows it'),
  },
]

/** The names of the headers of a mail, and its body without the end of its last line. */
function partsOf(mail: unknown): { names: string[]; body: string } {
  const [head = '', ...others] = String(mail).split('\r\n\r\n')
  const names = Array.from(head.matchAll(/^[\w-]+(?=: )/gm), ([name]) => name)
  return { names, body: others.join('\r\n\r\n').replace(/(?:\r\n)+$/, '') }
}

function startOf({ call }: Difference): number {
  return Number(new URL(call.path, 'http://localhost').searchParams.get('start'))
}

function totalOf({ answers }: Difference): number {
  // The body of a page.
  return (answers.ours.body as { total: number }).total
}
