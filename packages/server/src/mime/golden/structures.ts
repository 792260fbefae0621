import { base64, head, lines, multipart, part, utf8, type GoldenMail } from './golden-mail.ts'

const hi = part('text/plain', 'hi')
const file = part('application/pdf; name="a.pdf"', 'PDF', 'Content-Disposition: attachment; filename="a.pdf"')
const both = { text: 'hi', attachments: ['a.pdf'] }
const edges = (type: string, boundary = 'edge', end = `--${boundary}--`) =>
  lines(head.trimEnd(), `Content-Type: ${type}`, '', `--${boundary}`, hi, `--${boundary}`, file, end, '')
const structure = (name: string, mail: string, expected: GoldenMail['expected'] = both): GoldenMail => ({
  name,
  mail,
  expected,
})

/** How a mail falls into parts, and what its parts are called. */
export const structures: GoldenMail[] = [
  structure('a boundary', edges('multipart/mixed; boundary="edge"')),
  structure('a boundary without a semicolon', edges('multipart/mixed boundary="edge"')),
  structure('a boundary without a semicolon, without quotes', edges('multipart/mixed boundary=edge')),
  structure(
    'a boundary without a semicolon after another parameter',
    edges('multipart/mixed; charset=utf-8 boundary="edge"'),
  ),
  structure('a boundary after a comma', edges('multipart/mixed, boundary="edge"')),
  structure('a boundary on a folded line without a semicolon', edges('multipart/mixed\r\n\tboundary="edge"')),
  structure('a boundary with blanks, without quotes', edges('multipart/mixed; boundary=one two', 'one two')),
  structure(
    'a boundary with an equals sign, without quotes',
    edges('multipart/mixed; boundary=----=_a=b', '----=_a=b'),
  ),
  structure('a boundary with slashes and colons, without quotes', edges('multipart/mixed; boundary=a/b:c', 'a/b:c')),
  structure('a boundary in upper case', edges('MULTIPART/MIXED; BOUNDARY="edge"')),
  structure('a boundary in single quotes', edges("multipart/mixed; boundary='edge'", "'edge'")),
  structure('a boundary without its last quote', edges('multipart/mixed; boundary="edge')),
  structure('a boundary in pieces', edges('multipart/mixed; boundary*0="ed"; boundary*1="ge"')),
  structure('a boundary with an escape', edges(String.raw`multipart/mixed; boundary="e\dge"`)),
  structure('a boundary with a comment', edges('multipart/mixed; boundary="edge" (made up)')),
  structure('a boundary that ends in a blank', edges('multipart/mixed; boundary="edge "')),
  structure(
    'blanks after delimiters',
    edges('multipart/mixed; boundary="edge"').replace(/--edge(--)?\r\n/g, '--edge$1 \t\r\n'),
  ),
  structure('a multipart without its end', edges('multipart/mixed; boundary="edge"', 'edge', '')),
  structure('a boundary that the type does not name', edges('multipart/mixed')),
  structure('a boundary that is empty', edges('multipart/mixed; boundary=""')),
  structure('a boundary that the type names wrong', edges('multipart/mixed; boundary="other"')),
  structure('multipart/* as the type', edges('multipart/*; boundary="edge"')),
  structure('multipart/ as the type', edges('multipart/; boundary="edge"')),
  structure('multipart as the type', edges('multipart; boundary="edge"')),
  structure('an unknown multipart', edges('multipart/x-odd; boundary="edge"')),
  structure(
    'an inner boundary that the outer one begins',
    head + multipart('mixed', [multipart('alternative', [hi, part('text/html', '<p>hi</p>')], 'edge-2'), file], 'edge'),
  ),
  structure(
    'an outer boundary that the inner one begins',
    head + multipart('mixed', [multipart('alternative', [hi, part('text/html', '<p>hi</p>')], 'edge'), file], 'edge-2'),
  ),
  structure(
    'the outer boundary ends an inner multipart without its end',
    head + multipart('mixed', [multipart('alternative', [hi], 'inner').replace('--inner--', ''), file]),
  ),
  structure(
    'parts without an empty line before the delimiter',
    lines(
      head.trimEnd(),
      'Content-Type: multipart/mixed; boundary=edge',
      '',
      '--edge',
      '',
      'hi',
      '--edge',
      file,
      '--edge--',
    ),
  ),
  structure('text as the type', lines(head.trimEnd(), 'Content-Type: text', '', 'hi'), { text: 'hi', attachments: [] }),
  structure('plain/text as the type', lines(head.trimEnd(), 'Content-Type: plain/text', '', 'hi'), {
    text: 'hi',
    attachments: [null],
  }),
  structure('plain as the type', lines(head.trimEnd(), 'Content-Type: plain', '', 'hi'), {
    text: 'hi',
    attachments: [],
  }),
  structure('an empty type', lines(head.trimEnd(), 'Content-Type: ', '', 'hi'), { text: 'hi', attachments: [] }),
  structure('a type that is a parameter', lines(head.trimEnd(), 'Content-Type: charset=utf-8', '', utf8('é')), {
    text: 'é',
    attachments: [],
  }),
  structure('html as the type', lines(head.trimEnd(), 'Content-Type: html', '', '<p>hi</p>'), {
    html: '<p>hi</p>',
    text: 'hi',
  }),
  structure(
    'a blank after the type',
    lines(head.trimEnd(), 'Content-Type: text/html ; charset=utf-8', '', '<p>hi</p>'),
    { html: '<p>hi</p>' },
  ),
  structure('a blank in the type', lines(head.trimEnd(), 'Content-Type: text / html; charset=utf-8', '', '<p>hi</p>'), {
    html: '<p>hi</p>',
  }),
  structure(
    'a type before a comment',
    lines(head.trimEnd(), 'Content-Type: (x) text/html (y); charset=utf-8', '', '<p>hi</p>'),
    { html: '<p>hi</p>' },
  ),
  named('plain', 'filename="a b.pdf"', 'a b.pdf'),
  named('without quotes, with blanks', 'filename=a b.pdf', 'a b.pdf'),
  named('by RFC 2231', "filename*=utf-8''%E2%82%AC%20a.pdf", '€ a.pdf'),
  named('by RFC 2231 in latin1', "filename*=iso-8859-1'en'caf%E9.pdf", 'café.pdf'),
  named('in pieces', 'filename*0="a "; filename*1="b.pdf"', 'a b.pdf'),
  named('in pieces out of order', 'filename*1="b.pdf"; filename*0="a "', 'a b.pdf'),
  named('in pieces of which one is encoded', `filename*0*=utf-8''%E2%82%AC; filename*1=" a.pdf"`, '€ a.pdf'),
  named('in pieces that split a character', `filename*0*=utf-8''%E2%82; filename*1*=%AC.pdf`, '€.pdf'),
  named('in a language', `filename*0*=UTF-8'cs'%C5%BE; filename*1*=.pdf`, 'ž.pdf'),
  named('encoded and plain', `filename="EUR.pdf"; filename*=utf-8''%E2%82%AC.pdf`, '€.pdf'),
  named('as a word', 'filename="=?utf-8?Q?caf=C3=A9.pdf?="', 'café.pdf'),
  named('as a word without quotes', 'filename==?utf-8?Q?caf=C3=A9.pdf?=', 'café.pdf'),
  named('as two words', `filename="=?utf-8?B?${base64('\xe2\x82')}?=\r\n =?utf-8?B?${base64('\xac.pdf')}?="`, '€.pdf'),
  named('as a word in Shift_JIS', 'filename="=?Shift_JIS?B?im2URg==?=.pdf"', '確認.pdf'),
  named('in raw UTF-8', `filename="${utf8('žák.pdf')}"`, 'žák.pdf'),
  named('in raw windows-1252', 'filename="caf\xe9.pdf"', 'café.pdf'),
  named('with a semicolon inside quotes', 'filename="a;b.pdf"', 'a;b.pdf'),
  named('with escaped quotes', String.raw`filename="a\"b.pdf"`, 'a"b.pdf'),
  {
    name: 'a file name only on the type',
    mail: head + multipart('mixed', [hi, part("application/pdf; name*=utf-8''%C3%A9.pdf", 'PDF')]),
    expected: { text: 'hi', attachments: ['é.pdf'] },
  },
]

function named(name: string, parameter: string, expected: string): GoldenMail {
  const attachment = part('application/pdf', 'PDF', `Content-Disposition: attachment; ${parameter}`)
  return {
    name: `a file name ${name}`,
    mail: head + multipart('mixed', [hi, attachment]),
    expected: { text: 'hi', attachments: [expected] },
  }
}
