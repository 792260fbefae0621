import { describe, expect, test } from 'vitest'
import { parseRecipient, splitLocalPart, tenantSubdomain } from './address.ts'

type Parsed = { mailbox: string; tag: string | null; mailboxWithTag: string; domain: string }

function parsed(mailboxWithTag: string, domain: string, tag: string | null = null, mailbox = mailboxWithTag): Parsed {
  return { mailbox, tag, mailboxWithTag, domain }
}

function label(length: number): string {
  return 'd'.repeat(length)
}

function domainOf(length: number): string {
  return `${label(63)}.${label(63)}.${label(63)}.${label(length - 194)}.d`
}

describe('addressing rule 1: what follows the plus sign is the tag', () => {
  test.each<[string, Parsed]>([
    ['bob+login@in.test', parsed('bob+login', 'in.test', 'login', 'bob')],
    ['bob@in.test', parsed('bob', 'in.test')],
    ['bob+a+b@in.test', parsed('bob+a+b', 'in.test', 'a+b', 'bob')],
    ['bob+@in.test', parsed('bob+', 'in.test', null, 'bob')],
    ['bob++@in.test', parsed('bob++', 'in.test', '+', 'bob')],
    ['bob.+x@in.test', parsed('bob.+x', 'in.test', 'x', 'bob.')],
    ['"bob smith+login now"@in.test', parsed('"bob smith+login now"', 'in.test', 'login now', '"bob smith"')],
    ['"bob+login now"@in.test', parsed('"bob+login now"', 'in.test', 'login now', 'bob')],
    ['"bob smith+ "@in.test', parsed('"bob smith+ "', 'in.test', null, '"bob smith"')],
  ])('%s', (address, expected) => {
    expect(parseRecipient(address)).toEqual({ address, ...expected })
  })

  test.each(['+login@in.test', '+@in.test', '"+login now"@in.test', '\u3000+x@in.test'])(
    '%s has no mailbox',
    (address) => {
      expect(parseRecipient(address)).toBeNull()
    },
  )
})

test('addressing rule 2: mailbox, tag and domain are lower-cased, the address keeps its case', () => {
  expect(parseRecipient('Bob+LogIn@IN.Test')).toEqual({
    address: 'Bob+LogIn@IN.Test',
    domain: 'in.test',
    mailbox: 'bob',
    tag: 'login',
    mailboxWithTag: 'bob+login',
  })
})

describe('addressing rule 4: a subdomain under the root', () => {
  test.each<[string, string, string | null]>([
    ['acme.in.test', 'in.test', 'acme'],
    ['eu.acme.in.test', 'in.test', 'eu.acme'],
    ['ACME.in.test', 'In.Test', 'acme'],
    ['in.test', 'in.test', null],
    ['.in.test', 'in.test', null],
    ['win.test', 'in.test', null],
    ['in.test.example', 'in.test', null],
    ['example.org', 'in.test', null],
  ])('%s under %s is %s', (domain, root, expected) => {
    expect(tenantSubdomain(domain, root)).toBe(expected)
  })
})

describe('addresses that mail can have', () => {
  test.each<[string, Parsed]>([
    ["!#$%&'*-/=?^_`{|}~@in.test", parsed("!#$%&'*-/=?^_`{|}~", 'in.test')],
    ['a.b.c@in.test', parsed('a.b.c', 'in.test')],
    ['a@localhost', parsed('a', 'localhost')],
    ['a@1.2.example', parsed('a', '1.2.example')],
    ['пример@in.test', parsed('пример', 'in.test')],
    ['ÄPFEL@in.test', parsed('äpfel', 'in.test')],
    ['📮@in.test', parsed('📮', 'in.test')],
    ['a@Bücher.example', parsed('a', 'xn--bcher-kva.example')],
    ['a@例え.テスト', parsed('a', 'xn--r8jz45g.xn--zckzah')],
    ['a@例え。テスト', parsed('a', 'xn--r8jz45g.xn--zckzah')],
    ['a@XN--bcher-kva.example', parsed('a', 'xn--bcher-kva.example')],
    ['a@[127.0.0.1]', parsed('a', '[127.0.0.1]')],
    ['a@[IPv6:2001:DB8::1]', parsed('a', '[ipv6:2001:db8::1]')],
    ['a@[IPv6:::ffff:192.0.2.1]', parsed('a', '[ipv6:::ffff:192.0.2.1]')],
    ['"bob"@in.test', parsed('bob', 'in.test')],
    ['"b\\ob"@in.test', parsed('bob', 'in.test')],
    ['"Bob Smith"@in.test', parsed('"bob smith"', 'in.test')],
    ['"bob\\ smith"@in.test', parsed('"bob smith"', 'in.test')],
    ['"a@b"@in.test', parsed('"a@b"', 'in.test')],
    ['"a..b"@in.test', parsed('"a..b"', 'in.test')],
    ['"a/../b"@in.test', parsed('"a/../b"', 'in.test')],
    [String.raw`"a\"b\\c"@in.test`, parsed(String.raw`"a\"b\\c"`, 'in.test')],
    ['" "@in.test', parsed('" "', 'in.test')],
  ])('%s', (address, expected) => {
    expect(parseRecipient(address)).toEqual({ address, ...expected })
  })

  test.each(['<bob@in.test>', '  bob@in.test ', ' <bob@in.test> '])('%j is bob@in.test', (address) => {
    expect(parseRecipient(address)).toEqual({ address: 'bob@in.test', ...parsed('bob', 'in.test') })
  })
})

describe('invalid addresses', () => {
  test.each([
    '',
    '@',
    'bob',
    'bob@',
    '@in.test',
    '<>',
    '<bob@in.test',
    'bob@in.test>',
    'Bob <bob@in.test>',
    '<@relay.test:bob@in.test>',
    'bob@in.test,eve@in.test',
    'bob smith@in.test',
    'bob@eve@in.test',
    '.bob@in.test',
    'bob.@in.test',
    'b..ob@in.test',
    'b(comment)ob@in.test',
    'b"o"b@in.test',
    'b\\ob@in.test',
    '""@in.test',
    '"bob@in.test',
    '"bob"smith@in.test',
    '"bob\\"@in.test',
    'bob\n@in.test',
    'bob@in.test\r\n',
    '"bob\tsmith"@in.test',
    'bob\0@in.test',
    'bob\u007f@in.test',
    'bob\u0085@in.test',
    'bob\ud800@in.test',
    'bob@in.test.',
    'bob@.in.test',
    'bob@in..test',
    'bob@-in.test',
    'bob@in-.test',
    'bob@in_box.test',
    'bob@in test',
    'bob@in.test:25',
    'bob@in.test/path',
    'bob@bücher.example:25',
    'bob@bücher.example/path',
    'bob@b%C3%BCcher.é',
    'bob@bücher.example。',
    'bob@xn--a.é',
    'bob@[127.0.0.256]',
    'bob@[127.0.0]',
    'bob@[127.0.0.1',
    'bob@[IPv6:1::2::3]',
    'bob@[IPv6:]',
    'bob@[::1]',
    'bob@[tag:content]',
  ])('%j', (address) => {
    expect(parseRecipient(address)).toBeNull()
  })
})

describe('lengths, one below, at and above the limit', () => {
  test.each<[string, string, boolean]>([
    ['local part of 63', `${'a'.repeat(63)}@in.test`, true],
    ['local part of 64', `${'a'.repeat(64)}@in.test`, true],
    ['local part of 65', `${'a'.repeat(65)}@in.test`, false],
    ['local part of 64 octets, 32 letters', `${'é'.repeat(32)}@in.test`, true],
    ['local part of 66 octets, 33 letters', `${'é'.repeat(33)}@in.test`, false],
    ['local part of 64 with tag', `a+${'b'.repeat(62)}@in.test`, true],
    ['local part of 65 with tag', `a+${'b'.repeat(63)}@in.test`, false],
    ['label of 62', `a@${label(62)}.test`, true],
    ['label of 63', `a@${label(63)}.test`, true],
    ['label of 64', `a@${label(64)}.test`, false],
    ['A-label of 63', `a@${label(55)}é.test`, true],
    ['A-label of 64', `a@${label(56)}é.test`, false],
    ['domain of 254', `a@${domainOf(254)}`, true],
    ['domain of 255', `a@${domainOf(255)}`, true],
    ['domain of 256', `a@${domainOf(256)}`, false],
    ['a domain that fits only before its A-labels', `a@${'é.'.repeat(50)}test`, false],
    ['a megabyte', `a@${'é'.repeat(1_000_000)}`, false],
  ])('%s', (_what, address, accepted) => {
    expect(parseRecipient(address) !== null).toBe(accepted)
  })
})

test('a parsed address parses to the same result again', () => {
  for (const address of ['"A b+C d"@in.test', '"a..b"@Bücher.example', 'Q+T@[IPv6:::1]', 'bob.+x@in.test']) {
    const first = parseRecipient(address)
    const again = parseRecipient(`${first?.mailboxWithTag}@${first?.domain}`)
    expect({ ...again, address }).toEqual(first)
  }
})

test.each<[string, { mailbox: string; tag: string | null }]>([
  ['Bob+Login', { mailbox: 'bob', tag: 'login' }],
  ['bob', { mailbox: 'bob', tag: null }],
  ['bob+', { mailbox: 'bob', tag: null }],
  ['+login', { mailbox: '', tag: 'login' }],
  ['"bob smith+a b"', { mailbox: '"bob smith"', tag: 'a b' }],
  [' bob + login ', { mailbox: 'bob', tag: 'login' }],
])('splitLocalPart(%j)', (localPart, expected) => {
  expect(splitLocalPart(localPart)).toEqual(expected)
})
