import { describe, expect, test } from 'vitest'
import { selfSignedCertificate } from './certificate.ts'
import { parseBdat, parseCommand, parseMail, parseRcpt } from './commands.ts'
import { offerWithout } from './extensions.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { BAD_ARGUMENTS, BAD_PARAMETER, BAD_SENDER, UNKNOWN_PARAMETER } from './replies.ts'
import { startTestServer, TestClient } from './test-kit.ts'

const EVERYTHING = offerWithout([])

const mail = (mailFrom: string, rest = {}) => ({ mailFrom, declaredBytes: 0, isBinary: false, ...rest })

describe('MAIL', () => {
  test.each<[string, unknown]>([
    ['FROM:<a@b.test>', mail('a@b.test')],
    ['from:<a@b.test>', mail('a@b.test')],
    ['FROM: <a@b.test>', mail('a@b.test')],
    ['FROM:a@b.test', mail('a@b.test')],
    ['FROM:<>', mail('')],
    ['FROM:<root>', mail('root')],
    ['FROM:<"a b>c"@d.test>', mail('"a b>c"@d.test')],
    ['FROM:<"a\\">b"@d.test> SIZE=5', mail('"a\\">b"@d.test', { declaredBytes: 5 })],
    ['FROM:<@relay.test,@other.test:a@b.test>', mail('a@b.test')],
    ['FROM:<ä@b.test> SMTPUTF8', mail('ä@b.test')],
    ['FROM:<a@b.test> SIZE=1000 BODY=8BITMIME', mail('a@b.test', { declaredBytes: 1000 })],
    ['FROM:<a@b.test>  body=7bit  size=0', mail('a@b.test')],
    ['FROM:<a@b.test> BODY=BINARYMIME', mail('a@b.test', { isBinary: true })],
    ['FROM:<a@b.test> AUTH=<>', mail('a@b.test')],
    ['FROM:<a@b.test> SIZE=99999999999999999999', mail('a@b.test', { declaredBytes: 1e20 })],
  ])('%s is understood', (argument, expected) => {
    expect(parseMail(argument, DEFAULT_LIMITS, EVERYTHING)).toEqual(expected)
  })

  test.each<[string, string]>([
    ['', BAD_ARGUMENTS],
    ['TO:<a@b.test>', BAD_ARGUMENTS],
    ['FROM:', BAD_ARGUMENTS],
    ['FROM:<a@b.test', BAD_ARGUMENTS],
    ['FROM:a@b.test>', BAD_ARGUMENTS],
    ['FROM:<<a@b.test>>', BAD_ARGUMENTS],
    ['FROM:<a b@c.test>', BAD_ARGUMENTS],
    ['FROM:<a@b.test>SIZE=1', BAD_ARGUMENTS],
    ['FROM:<"a@b.test>', BAD_ARGUMENTS],
    ['FROM:<@b.test>', BAD_SENDER],
    ['FROM:<a@b.test> SIZE=', BAD_PARAMETER],
    ['FROM:<a@b.test> SIZE=-1', BAD_PARAMETER],
    ['FROM:<a@b.test> SIZE=1k', BAD_PARAMETER],
    ['FROM:<a@b.test> SIZE=999999999999999999999', BAD_PARAMETER],
    ['FROM:<a@b.test> BODY=9BIT', BAD_PARAMETER],
    ['FROM:<a@b.test> BODY', BAD_PARAMETER],
    ['FROM:<a@b.test> SMTPUTF8=yes', BAD_PARAMETER],
    ['FROM:<a@b.test> AUTH', BAD_PARAMETER],
    ['FROM:<a@b.test> RET=HDRS', UNKNOWN_PARAMETER],
    ['FROM:<a@b.test> X', UNKNOWN_PARAMETER],
  ])('%s is refused', (argument, refusal) => {
    expect(parseMail(argument, DEFAULT_LIMITS, EVERYTHING)).toEqual({ refusal })
  })

  test.each<[string, number, number, boolean]>([
    ['local part of n−1', 255, 10, true],
    ['local part of n', 256, 10, true],
    ['local part of n+1', 257, 10, false],
    ['domain of n−1', 10, 254, true],
    ['domain of n', 10, 255, true],
    ['domain of n+1', 10, 256, false],
    ['both at their limit', 256, 255, true],
  ])('limit: sender with a %s bytes', (_name, localBytes, domainBytes, isTaken) => {
    const mailFrom = `${'a'.repeat(localBytes)}@${'d'.repeat(domainBytes)}`
    const expected = isTaken ? mail(mailFrom) : { refusal: BAD_SENDER }
    expect(parseMail(`FROM:<${mailFrom}>`, DEFAULT_LIMITS, EVERYTHING)).toEqual(expected)
  })
})

test.each<[string, unknown]>([
  ['TO:<qa@in.test>', { address: 'qa@in.test' }],
  ['to: qa@in.test', { address: 'qa@in.test' }],
  ['TO:<>', { address: '' }],
  ['TO:<qa@in.test> NOTIFY=NEVER', { refusal: UNKNOWN_PARAMETER }],
  ['FROM:<qa@in.test>', { refusal: BAD_ARGUMENTS }],
])('RCPT %s', (argument, expected) => {
  expect(parseRcpt(argument, EVERYTHING)).toEqual(expected)
})

test.each<[string, unknown]>([
  ['0', { chunkBytes: 0, isLast: false }],
  ['12 LAST', { chunkBytes: 12, isLast: true }],
  ['12 last', { chunkBytes: 12, isLast: true }],
  ['', null],
  ['LAST', null],
  ['-1', null],
  ['1.5', null],
  ['12 FIRST', null],
  ['9999999999999999', null],
])('BDAT %j', (argument, expected) => {
  expect(parseBdat(argument)).toEqual(expected)
})

test.each<[string, unknown]>([
  ['quit', { verb: 'QUIT', argument: '' }],
  ['NOOP  with words ', { verb: 'NOOP', argument: 'with words' }],
  ['', { verb: '', argument: '' }],
])('command line %j', (line, expected) => {
  expect(parseCommand(line)).toEqual(expected)
})

describe('HELP lists the commands', () => {
  test('without a certificate it lists AUTH but not STARTTLS', async () => {
    const { server } = await startTestServer()
    const client = await TestClient.connectWithHello(server.port)
    const help = await client.say('HELP')
    expect(help).toMatch(/^214 2\.0\.0 EHLO .* AUTH QUIT;/)
    expect(help).not.toContain('STARTTLS')
  })

  test('with a certificate it lists STARTTLS too, until TLS is active', async () => {
    const { server } = await startTestServer({ tls: await selfSignedCertificate('mx.test') })
    const client = await TestClient.connectWithHello(server.port)
    expect(await client.say('HELP')).toContain(' STARTTLS AUTH ')
    await client.say('STARTTLS')
    await client.startTls()
    const help = await client.say('HELP')
    expect(help).toContain(' AUTH ')
    expect(help).not.toContain('STARTTLS')
  })
})
