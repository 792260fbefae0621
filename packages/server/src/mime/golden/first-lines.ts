import { lines, type GoldenMail } from './golden-mail.ts'

const rest = lines('From: Ann <ann@shop.example>', 'Subject: Your code', '', 'It is 482913.', '')
const seen = { subject: 'Your code', from: 'ann@shop.example', fromName: 'Ann', text: 'It is 482913.' }
const before = (name: string, first: string): GoldenMail => ({
  name: `first ${name}`,
  mail: first + rest,
  expected: seen,
})
const between = (name: string, line: string): GoldenMail => ({
  name,
  mail: lines('From: Ann <ann@shop.example>', line, 'Subject: Your code', '', 'It is 482913.', ''),
  expected: seen,
})

/** A head that does not begin, or does not go on, with a header. */
export const firstLines: GoldenMail[] = [
  before('an empty line', '\r\n'),
  before('three empty lines', '\r\n\r\n\r\n'),
  before('an empty line by a bare line feed', '\n'),
  before('an empty line by a carriage return', '\r'),
  before('a line of blanks', '   \r\n'),
  before('a line of a tab', '\t\r\n'),
  before('blanks and then empty lines', ' \r\n\r\n'),
  before('an mbox line', 'From ann@shop.example Mon Nov 16 00:00:00 2026\r\n'),
  before('an mbox line without a date', 'From ann@shop.example\r\n'),
  before('an mbox line without an address', 'From \r\n'),
  before('an mbox line with a time', 'From - Mon Nov 16 12:34:56 2026\r\n'),
  before('a quoted mbox line', '>From ann@shop.example Mon Nov 16 00:00:00 2026\r\n'),
  before('a quoted mbox line without a date', '>From ann\r\n'),
  before('an empty line and an mbox line', '\r\nFrom ann@shop.example\r\n'),
  before('a continuation', ' by mail.shop.example with SMTP\r\n'),
  before('a continuation by a tab', '\tfor <qa@in.example>; Mon, 16 Nov 2026\r\n'),
  before('two continuations', ' one\r\n\ttwo: 2\r\n'),
  {
    name: 'first a header with a blank before it',
    mail: ` ${rest}`,
    expected: seen,
  },
  {
    name: 'From with a blank before its colon',
    mail: rest.replace('From:', 'From :'),
    expected: seen,
  },
  before('a line without a colon', 'this is no header\r\n'),
  before('an HTTP line', 'POST /inbox HTTP/1.1\r\n'),
  before('a line that begins with a colon', ': nothing\r\n'),
  before('a line that is a word', 'garbage\r\n'),
  before('a UTF-8 mark', '\xef\xbb\xbf'),
  before('a UTF-8 mark and an empty line', '\xef\xbb\xbf\r\n'),
  before('NUL bytes', '\0\0\r\n'),
  between('an mbox line in the head', 'From ann@shop.example Mon Nov 16 00:00:00 2026'),
  between('a line without a colon in the head', 'garbage'),
  between('a quoted mbox line in the head', '>From ann@shop.example'),
  between('a header without a name in the head', ': nothing'),
  {
    name: 'a header with blanks before its colon',
    mail: lines('Subject : Your code', 'From\t: Ann <ann@shop.example>', '', 'It is 482913.'),
    expected: seen,
  },
  {
    name: 'a head that text follows without an empty line',
    mail: lines('From: Ann <ann@shop.example>', 'Subject: Your code', 'It is 482913.'),
    expected: seen,
  },
  {
    name: 'a mail that is text alone',
    mail: lines('Hello there,', 'your code is 482913.', ''),
    expected: { subject: '', from: '', text: 'Hello there,\nyour code is 482913.' },
  },
  {
    name: 'a mail that is text alone, in paragraphs',
    mail: lines('Hello there', '', 'Your code is 482913.', ''),
    expected: { subject: '', text: 'Hello there\n\nYour code is 482913.' },
  },
  {
    name: 'an empty line, then text',
    mail: lines('', 'Your code is 482913.', ''),
    expected: { subject: '', text: 'Your code is 482913.' },
  },
  {
    name: 'an empty line, then text with a colon in it',
    mail: lines('', 'Your code: 482913', ''),
    expected: { subject: '', text: 'Your code: 482913' },
  },
  {
    name: 'the head ends at a line of blanks',
    mail: lines('From: Ann <ann@shop.example>', 'Subject: Your code', '  ', 'It is 482913.'),
    expected: seen,
  },
]
