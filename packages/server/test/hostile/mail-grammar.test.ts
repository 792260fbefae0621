import { expect, test } from 'vitest'
import { seedsOf } from '../prove/seeds.ts'
import { expectedRefusals } from './expected-refusals.ts'
import { largeMail, mailGrammar, truncatedMails } from './mail-grammar.ts'
import { FIRST_STRETCH_MS_MAX, runMails, STRETCH_MS_MAX } from './mails-run.ts'
import { startFaultyServer, startMailsServer } from './mails-server.ts'

const SEED = Number(process.env['MAILS_SEED'] ?? 1)
/** The run of `npm run prove` has 10,000. */
const MAILS = 25
const TRUNCATED = 8

test(`${MAILS + TRUNCATED} mails of a grammar are readable or marked, and block nothing (seed ${SEED})`, async () => {
  const { server, dashboard } = await startMailsServer()
  const grammar = mailGrammar(SEED)
  const truncated = truncatedMails()
  const step = Math.floor(truncated.length / TRUNCATED)
  const mails = [
    ...Array.from({ length: MAILS }, (_, number) => grammar.mail(number)),
    ...Array.from({ length: TRUNCATED }, (_, index) => truncated[index * step]!),
    ...seedsOf('mails').map(({ seed, number }) => mailGrammar(seed).mail(number)),
  ]
  const run = await runMails({ server, dashboard, mails })
  expect(run).toMatchObject({ wronglyRefused: [], lost: [], changed: [], unreadable: [], stretches: [], exits: 0 })
  expect(run.readable).toBeGreaterThan(MAILS / 2)
  expect(server.complaints()).toBe('')
})

test('a mail far above the limit ends its connection, and all others are delivered', async () => {
  const sizeMax = 100_000
  const { server, dashboard } = await startMailsServer({ settings: { SMTP_MAX_SIZE: String(sizeMax) } })
  const small = { name: 'small', raw: Buffer.from('Subject: small\r\n\r\nhello\r\n') }
  // Every connection gets a refusal and further mail. Only the larger ones end theirs.
  const mails = [1.5, 4, 1.5, 4, 4, 4].flatMap((factor, index) => [
    largeMail(SEED + index, factor * sizeMax),
    small,
    small,
  ])
  const run = await runMails({ server, dashboard, mails, sizeBytesMax: sizeMax })
  expect(run.refusals).toEqual(new Map([['552 5.3.4 Mail exceeds the size limit', 6]]))
  expect(run).toMatchObject({
    sent: 18,
    aboveLimit: 6,
    wronglyRefused: [],
    readable: 12,
    lost: [],
    changed: [],
    unreadable: [],
    exits: 0,
  })
})

test('mail that breaks a limit of SMTP may be refused for that limit, and other mail may not', () => {
  const expected = (text: string) => expectedRefusals(Buffer.from(text), { sizeBytesMax: 2_000_000 })
  expect(expected('Subject: small\r\n\r\nhello\r\n')).toEqual([])
  expect(expected('x'.repeat(2_000_001))).toEqual(['552 5.3.4 '])
  expect(expected('Received: a\r\n'.repeat(50))).toEqual([])
  expect(expected('RECEIVED: a\n'.repeat(51))).toEqual(['554 5.4.6 '])
  expect(expected(`\r\n${'Received: a\r\n'.repeat(51)}`)).toEqual([])
  expect(expected(`a\r\n${'x'.repeat(1_048_574)}\r\n`)).toEqual([])
  expect(expected(`a\r\n${'x'.repeat(1_048_575)}\r\n`)).toEqual(['554 5.6.0 '])
  // In a binary chunk.
  expect(expected(`a\r\n${'x'.repeat(1_048_575)}`)).toEqual([])
})

test('control: a mail that blocks, is refused, lost, changed or removed, or ends the program is found', async () => {
  const run = await startFaultyServer()
  expect(await run('Harmless mail')).toMatchObject({ readable: 1, lost: [], changed: [], stretches: [], exits: 0 })
  expect((await run('Blocking mail')).stretchMs).toBeGreaterThan(STRETCH_MS_MAX)
  const atFirstBlocking = await run('At first blocking mail')
  expect(atFirstBlocking.stretches).toEqual([])
  expect(atFirstBlocking.firstStretchMs).toBeGreaterThan(FIRST_STRETCH_MS_MAX)
  expect((await run('Refused mail')).wronglyRefused).not.toEqual([])
  expect((await run('Removed mail')).unreadable).not.toEqual([])
  expect((await run('Dropped mail')).lost).not.toEqual([])
  expect((await run('Changed mail')).changed).not.toEqual([])
  expect((await run('Deadly mail')).exits).toBe(1)
})
