import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMailParser, type MailParser, type ParserOptions } from './mail-parser.ts'
import { parseMail, UNREADABLE } from './parse-mail.ts'

const parsers: MailParser[] = []
afterEach(() => Promise.all(parsers.splice(0).map((parser) => parser.close())))

function start(options: ParserOptions = {}): MailParser {
  const parser = createMailParser(options)
  parsers.push(parser)
  return parser
}

/** Large enough for a thread by default. */
function mail(subject: string, size = 200_000): Uint8Array {
  return Buffer.from(`From: Ann <a@b.test>\r\nSubject: ${subject}\r\n\r\n${'text\r\n'.repeat(size / 6)}`)
}

test('small mail is parsed in this thread, large mail and files in another, with the same result', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mail-parser-'))
  const path = join(folder, 'mail.eml')
  await writeFile(path, mail('file'))
  const parser = start()
  expect(await parser.parse(mail('small', 60))).toEqual(parseMail(mail('small', 60)))
  expect(await parser.parse(mail('large'))).toEqual(parseMail(mail('large')))
  expect(await parser.parse({ path, size: 200_000 })).toEqual(parseMail(mail('file')))
  await rm(folder, { recursive: true })
})

test.each([
  ['a Buffer', (bytes: Uint8Array) => Buffer.from(bytes)],
  [
    'a part of a Buffer',
    (bytes: Uint8Array) => Buffer.concat([Buffer.alloc(10), bytes, Buffer.alloc(10)]).subarray(10, -10),
  ],
  ['an array', (bytes: Uint8Array) => new Uint8Array(bytes)],
])('the caller keeps its bytes: %s', async (_, own) => {
  const content = own(mail('kept'))
  expect(await start().parse(content)).toEqual(parseMail(mail('kept')))
  expect(Buffer.compare(content, mail('kept'))).toBe(0)
})

test('with more mails than threads, each gets its own result', async () => {
  const parser = start({ threadsMax: 2 })
  const subjects = Array.from({ length: 40 }, (_, index) => `mail ${index}`)
  const parsed = await Promise.all(subjects.map((subject) => parser.parse(mail(subject))))
  expect(parsed.map(({ subject }) => subject)).toEqual(subjects)
})

describe('a mail that crashes a thread', () => {
  const threadUrl = new URL('../../test/hostile/misbehaving-thread.ts', import.meta.url)

  test.each([
    ['hang', { deadlineMs: 1_500 }, /Parsing a mail took more than 1500 ms of processor time/],
    ['starve to death', { waitMsMax: 3_000 }, /Parsing a mail took more than 3000 ms$/],
    ['grow', { heapMegabytesMax: 32 }, /memory/],
    ['throw', {}, /as asked/],
  ])('%s', async (subject, options, reason) => {
    const deaths: string[] = []
    const parser = start({ ...options, threadUrl, threadsMax: 1, onThreadDeath: ({ message }) => deaths.push(message) })
    const [bad, waiting] = await Promise.all([parser.parse(mail(subject)), parser.parse(mail('waiting'))])
    expect(bad).toMatchObject({ from: 'a@b.test', fromName: 'Ann', subject, text: null, html: null, parse: 'failed' })
    expect(waiting).toEqual(parseMail(mail('waiting')))
    expect(await parser.parse(mail('later'))).toMatchObject({ subject: 'later', parse: 'complete' })
    expect(deaths).toEqual([expect.stringMatching(reason)])
  })

  test('is not mail that only got no processor time', async () => {
    const deaths: string[] = []
    const options = {
      threadUrl,
      threadsMax: 1,
      deadlineMs: 1_500,
      onThreadDeath: ({ message }: Error) => deaths.push(message),
    }
    expect(await start(options).parse(mail('starve'))).toMatchObject({ subject: 'starve', parse: 'complete' })
    expect(deaths).toEqual([])
  })

  test('does not crash the program while it is careful, even if it is small', async () => {
    const parser = start({ threadUrl, deadlineMs: 1_500, isCareful: () => true })
    expect(await parser.parse(mail('hang', 60))).toMatchObject({ subject: 'hang', text: null, parse: 'failed' })
  })

  test('is kept without its headers if they crash a thread too', async () => {
    const content = Buffer.concat([Buffer.from('X: unreadable head\r\n'), mail('throw')])
    expect(await start({ threadUrl, isCareful: () => true }).parse(content)).toEqual(UNREADABLE)
  })

  test('the headers of a file are still read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mail-parser-'))
    const path = join(folder, 'mail.eml')
    await writeFile(path, mail('file'))
    // This thread refuses files.
    const parsed = await start({ threadUrl }).parse({ path, size: 200_000 })
    expect(parsed).toMatchObject({ from: 'a@b.test', subject: 'file', text: null, parse: 'failed' })
    await rm(folder, { recursive: true })
  })
})

describe('the start of a thread', () => {
  /** Fake timers. Threads still start in real time. */
  function holdTime() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  test('does not count as parsing time of the mail that started it', async () => {
    holdTime()
    const parsing = start({ deadlineMs: 5_000 }).parse(mail('patience'))
    vi.advanceTimersByTime(50_000)
    expect(await parsing).toMatchObject({ subject: 'patience', parse: 'complete' })
  })

  test('has a limit of its own', async () => {
    holdTime()
    const deaths: string[] = []
    const threadUrl = new URL('data:text/javascript,setInterval(() => {}, 60_000)')
    const parsing = start({ threadUrl, onThreadDeath: ({ message }) => deaths.push(message) }).parse(mail('never'))
    vi.advanceTimersByTime(60_000)
    expect(await parsing).toMatchObject({ subject: 'never', parse: 'failed' })
    expect(deaths).toEqual(['Starting a parse thread took more than 60000 ms'])
  })
})

test('a thread that was idle too long is replaced', async () => {
  const parser = start({ idleMs: 0, threadsMax: 1 })
  for (const subject of ['one', 'two', 'three']) {
    expect(await parser.parse(mail(subject))).toMatchObject({ subject, parse: 'complete' })
  }
})

test('closing waits for mail in progress and refuses more', async () => {
  const parser = start({ threadsMax: 1 })
  const answers: string[] = []
  const under = ['one', 'two', 'three'].map(async (subject) =>
    answers.push((await parser.parse(mail(subject))).subject),
  )
  await parser.close()
  expect(answers).toEqual(['one', 'two', 'three'])
  await Promise.all(under)
  await expect(parser.parse(mail('late'))).rejects.toThrow('closed')
})

test('a missing file is an error, not a mail', async () => {
  await expect(start().parse({ path: '/nonexistent/mail.eml', size: 1 })).rejects.toThrow('ENOENT')
})
