import { expect, test } from 'vitest'
import { readAuthentication } from './authentication-header.ts'

const header = (value: string) => ({ name: 'Authentication-Results', value })

test.each([
  {
    name: 'all three',
    headers: [header('mx.example; spf=pass smtp.mailfrom=a@b.example; DKIM=Fail header.d=b.example; dmarc=none')],
    found: { spf: 'pass', dkim: 'fail', dmarc: 'none' },
  },
  {
    name: 'the first header only',
    headers: [header('x; spf=fail'), header('y; spf=pass')],
    found: { spf: 'fail', dkim: null, dmarc: null },
  },
  {
    name: 'only results that the RFC defines',
    headers: [header('x; spf=obey-me')],
    found: { spf: null, dkim: null, dmarc: null },
  },
  { name: 'no header', headers: [{ name: 'Subject', value: 'spf=pass' }], found: null },
])('$name', ({ headers, found }) => {
  expect(readAuthentication(headers)).toEqual(found)
})
