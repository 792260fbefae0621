import { head, lines, multipart, part, type GoldenMail } from './golden-mail.ts'

const code = part('text/plain; charset=utf-8', 'Your code is 482913.')
const page = part('text/html; charset=utf-8', '<p>Your code is <b>482913</b>.</p>')
const seen = 'Your code is 482913.'
const pageSeen = '<p>Your code is <b>482913</b>.</p>'
const inline = (name: string, content: string, type = 'text/plain') =>
  part(`${type}; name="${name}"`, content, `Content-Disposition: inline; filename="${name}"`)
const attached = (name: string, content: string, type = 'text/plain') =>
  part(type, content, `Content-Disposition: attachment; filename="${name}"`)
const image = part('image/png', 'PNG', 'Content-ID: <logo>', 'Content-Disposition: inline')
const pdf = part('application/pdf; name="a.pdf"', 'PDF')
const mixed = (name: string, parts: string[], expected: GoldenMail['expected'], kind = 'mixed'): GoldenMail => ({
  name,
  mail: head + multipart(kind, parts),
  expected,
})
const alternative = (parts: string[]) => multipart('alternative', parts, 'inner')

/** Which of several texts is the mail's own, and what becomes of the others. */
export const ownTexts: GoldenMail[] = [
  mixed('terms inline after the text', [code, inline('terms.txt', 'Terms.')], {
    text: seen,
    attachments: ['terms.txt'],
    contents: ['Terms.'],
  }),
  mixed('a signature inline after the text', [code, inline('signature.txt', 'Ann')], {
    text: seen,
    attachments: ['signature.txt'],
  }),
  mixed('a disclaimer named only on its type', [code, part('text/plain; name=disclaimer.txt', 'Secret.')], {
    text: seen,
    attachments: ['disclaimer.txt'],
  }),
  mixed('an attached text before the text', [attached('log.txt', 'log'), code], {
    text: seen,
    attachments: ['log.txt'],
  }),
  mixed('an inline named text before the text', [inline('log.txt', 'log'), code], {
    text: seen,
    attachments: ['log.txt'],
  }),
  mixed('an attached text after the text', [code, attached('log.txt', 'log')], {
    text: seen,
    attachments: ['log.txt'],
  }),
  mixed('an attached text without a name', [code, part('text/plain', 'log', 'Content-Disposition: attachment')], {
    text: seen,
    attachments: [null],
  }),
  mixed('a list footer without a name', [code, part('text/plain; charset=us-ascii', '___\r\nlist footer')], {
    text: seen,
    attachments: [null],
    contents: ['___\r\nlist footer'],
  }),
  mixed('a footer under text and HTML', [alternative([code, page]), part('text/plain', 'footer')], {
    text: seen,
    html: pageSeen,
    attachments: [null],
  }),
  mixed('terms under text and HTML', [alternative([code, page]), inline('terms.txt', 'Terms.')], {
    text: seen,
    html: pageSeen,
    attachments: ['terms.txt'],
  }),
  mixed(
    'named HTML under text and HTML',
    [alternative([code, page]), inline('terms.html', '<p>Terms</p>', 'text/html')],
    { text: seen, html: pageSeen, attachments: ['terms.html'] },
  ),
  mixed('an HTML file after a text', [code, attached('report.html', '<p>Report</p>', 'text/html')], {
    text: seen,
    html: '',
    attachments: ['report.html'],
  }),
  mixed('a text, an image, a text', [code, image, part('text/plain', 'after')], {
    text: seen,
    attachments: [null, null],
  }),
  mixed('an image first', [image, code], { text: seen, attachments: [null] }),
  mixed('HTML, a file, HTML', [page, pdf, part('text/html', '<br>')], {
    text: seen,
    html: pageSeen,
    attachments: ['a.pdf', null],
  }),
  mixed('a text and HTML side by side', [code, page], { text: seen, html: pageSeen, attachments: [] }),
  mixed('HTML and then a named text', [page, inline('terms.txt', 'Terms.')], {
    text: seen,
    html: pageSeen,
    attachments: ['terms.txt'],
  }),
  mixed('HTML and then a footer', [page, part('text/plain', 'footer')], { html: pageSeen }),
  mixed('a named text as the only text', [inline('message.txt', 'Your code is 482913.')], {
    text: seen,
    attachments: ['message.txt'],
  }),
  mixed('a named text and a file', [inline('message.txt', 'Your code is 482913.'), pdf], {
    text: seen,
    attachments: ['a.pdf', 'message.txt'],
  }),
  mixed('two named texts', [inline('one.txt', 'Your code is 482913.'), inline('two.txt', 'two')], {
    text: seen,
    attachments: ['one.txt', 'two.txt'],
  }),
  mixed(
    'named alternatives',
    [inline('text.txt', 'Your code is 482913.'), inline('page.html', pageSeen, 'text/html')],
    { text: seen, html: pageSeen, attachments: ['text.txt', 'page.html'] },
    'alternative',
  ),
  mixed('only an attached text', [attached('log.txt', 'log')], { text: '', attachments: ['log.txt'] }),
  mixed('text and HTML', [code, page], { text: seen, html: pageSeen, attachments: [] }, 'alternative'),
  mixed('HTML before text', [page, code], { text: seen, html: pageSeen, attachments: [] }, 'alternative'),
  mixed('only HTML in the alternative', [page], { text: seen, html: pageSeen, attachments: [] }, 'alternative'),
  mixed(
    'an empty text beside HTML',
    [part('text/plain', ''), page],
    { text: seen, html: pageSeen, attachments: [] },
    'alternative',
  ),
  mixed(
    'a blank text beside HTML',
    [part('text/plain', ' \r\n\r\n'), page],
    { text: seen, html: pageSeen },
    'alternative',
  ),
  mixed('an empty text before a text', [part('text/plain', ''), code], { text: seen }),
  mixed(
    'a page for AMP',
    [code, part('text/x-amp-html', '<html amp4email>no</html>'), page],
    { text: seen, html: pageSeen },
    'alternative',
  ),
  mixed(
    'a page for a watch',
    [code, part('text/watch-html', '<b>no</b>'), page],
    { text: seen, html: pageSeen },
    'alternative',
  ),
  mixed(
    'enriched text',
    [code, part('text/enriched', '<bold>Your</bold> code'), page],
    { text: seen, html: pageSeen },
    'alternative',
  ),
  mixed('only enriched text', [part('text/enriched', '<bold>Your</bold> code is 482913.')], { text: seen }),
  mixed(
    'an invitation beside text and HTML',
    [code, page, part('text/calendar; method=REQUEST', 'BEGIN:VCALENDAR')],
    { text: seen, html: pageSeen, attachments: [null] },
    'alternative',
  ),
  mixed('a contact card beside a text', [code, part('text/x-vcard; name=ann.vcf', 'BEGIN:VCARD')], {
    text: seen,
    attachments: ['ann.vcf'],
  }),
  mixed('a table inline beside a text', [code, inline('a.csv', 'a;b', 'text/csv')], {
    text: seen,
    attachments: ['a.csv'],
  }),
  mixed('HTML with its image', [page, image], { text: seen, html: pageSeen, attachments: [null] }, 'related'),
  mixed(
    'alternatives within related',
    [alternative([code, page]), image],
    { text: seen, html: pageSeen, attachments: [null] },
    'related',
  ),
  mixed(
    'related within alternatives',
    [code, multipart('related', [page, image], 'inner')],
    { text: seen, html: pageSeen, attachments: [null] },
    'alternative',
  ),
  mixed(
    'related, with a style sheet and a frame',
    [page, part('text/css', 'b{}'), part('text/html', '<p>frame</p>', 'Content-ID: <f>')],
    { text: seen, html: pageSeen, attachments: [null, null] },
    'related',
  ),
  mixed('an alternative of two texts: the first', [code, part('text/plain', 'other')], { text: seen }, 'alternative'),
  mixed(
    'a report',
    [code, part('message/delivery-status', 'Action: failed'), part('text/rfc822-headers', 'Subject: lost')],
    { text: seen, attachments: [null, null] },
    'report',
  ),
  mixed(
    'a report with its mail',
    [
      code,
      part('message/delivery-status', 'Action: failed'),
      part('message/rfc822', lines('Subject: lost', '', 'lost text')),
    ],
    { text: seen, subject: 's', attachments: [null, null] },
    'report',
  ),
  mixed(
    'a signed mail',
    [code, part('application/pgp-signature; name="signature.asc"', 'SIG')],
    { text: seen, attachments: ['signature.asc'] },
    'signed; protocol="application/pgp-signature"; micalg=pgp-sha256',
  ),
  mixed(
    'a signed mail of alternatives',
    [alternative([code, page]), part('application/pkcs7-signature; name="smime.p7s"', 'SIG')],
    { text: seen, html: pageSeen, attachments: ['smime.p7s'] },
    'signed',
  ),
  mixed(
    'a forwarded mail after the text',
    [code, part('message/rfc822', lines('Subject: old', 'Content-Type: text/plain', '', 'Your code is 111111.'))],
    { text: seen, subject: 's', attachments: [null] },
  ),
  mixed(
    'a forwarded mail before the text',
    [part('message/rfc822', lines('Subject: old', '', 'Your code is 111111.')), code],
    { text: seen, attachments: [null] },
  ),
  mixed('a digest', [lines('', 'Subject: one', '', 'one')], { attachments: [null] }, 'digest'),
  mixed(
    'a text two levels down',
    [multipart('mixed', [alternative([code, page]), pdf], 'middle'), part('text/plain', 'footer')],
    { text: seen, html: pageSeen, attachments: ['a.pdf', null] },
  ),
  mixed(
    'text and HTML after a text',
    [code, alternative([part('text/plain', 'two'), part('text/html', '<p>two</p>')])],
    {
      text: seen,
      html: '',
      attachments: [null, null],
    },
  ),
  mixed(
    'a text disposed as an odd word',
    [part('text/plain', 'Your code is 482913.', 'Content-Disposition: body'), pdf],
    { text: seen, attachments: ['a.pdf'] },
  ),
  mixed('a part without headers', [lines('', 'Your code is 482913.'), pdf], { text: seen, attachments: ['a.pdf'] }),
  {
    name: 'HTML with a name as the only body',
    mail: head + part('text/html; name="mail.html"', pageSeen),
    expected: { text: seen, html: pageSeen },
  },
  {
    name: 'a text with a name as the only body',
    mail: head + part('text/plain; name="mail.txt"', seen, 'Content-Disposition: inline; filename="mail.txt"'),
    expected: { text: seen },
  },
  {
    name: 'a file as the only body',
    mail: head + part('application/pdf', 'PDF', 'Content-Disposition: attachment; filename="a.pdf"'),
    expected: { text: '', html: '', attachments: ['a.pdf'] },
  },
  {
    name: 'a text that is attached as the only body',
    mail: head + part('text/plain', 'log', 'Content-Disposition: attachment; filename="log.txt"'),
    expected: { attachments: ['log.txt'] },
  },
]
