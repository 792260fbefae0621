import { describe, expect, test } from 'vitest'
import { startFileServer } from './support/file-server.ts'
import { freePort } from './support/free-port.ts'
import { publishedClient, refusalOf } from './support/published-client.ts'
import { SmtpClient } from './support/smtp-client.ts'

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const HEAD = 'From: a@shop.example\r\nSubject: Bytes\r\n'

const smtpPort = await freePort()
const server = await startFileServer({ SMTP_PORT: String(smtpPort) })
const { newMailbox, store } = server
const client = publishedClient({ baseUrl: server.url, apiKey: server.apiKey })

/** Sends by SMTP and waits for the message; resolves to its id. */
async function sent(raw: Uint8Array): Promise<string> {
  const mailbox = newMailbox()
  const smtp = await SmtpClient.connect(smtpPort)
  expect(await smtp.send({ to: `${mailbox}@mailhatch.test`, raw })).toMatch(/^250 /)
  smtp.close()
  return (await client.waitFor({ mailbox })).id
}

const bytesIn = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('raw is the sent mail, byte for byte', () => {
  test.each<[string, Buffer]>([
    ['plain', Buffer.from(`${HEAD}\r\nHello\r\n`)],
    [
      '8-bit, in headers too',
      Buffer.from(`From: a@shop.example\r\nSubject: caf\xe9\r\n\r\n\xff\xfe\x80\r\n`, 'latin1'),
    ],
    ['bare line feeds', Buffer.from(`${HEAD}\r\none\ntwo\n\nthree\r\n`)],
    ['bare line feeds everywhere', Buffer.from('From: a@shop.example\nSubject: Bytes\n\nHello\n')],
    ['bare carriage returns and NUL', Buffer.from(`${HEAD}\r\none\rtwo\0three\r\n`)],
    ['dots', Buffer.from(`${HEAD}\r\n.\r\n..\r\n...\r\n.x\r\n`)],
    ['a dot after a bare line feed', Buffer.from(`${HEAD}\r\none\n.\ntwo\n..\r\n`)],
    ['one long line', Buffer.from(`${HEAD}\r\n${'x'.repeat(300_000)}\r\n`)],
    ['more than 1 MiB', Buffer.from(`${HEAD}\r\n${'0123456789abcde\r\n'.repeat(100_000)}`)],
    ['3 MiB in long lines', Buffer.from(`${HEAD}\r\n${`${'y'.repeat(100_000)}\r\n`.repeat(31)}`)],
    ['no header at all', Buffer.from('\r\nbody\r\n')],
    ['every byte, without a line end', Buffer.concat([Buffer.from(`${HEAD}\r\n`), BYTES])],
  ])('%s', async (_, raw) => {
    const response = await client.raw(await sent(raw))
    expect(response.headers.get('content-type')).toMatch(/^message\/rfc822/)
    expect((await bytesIn(response)).equals(raw)).toBe(true)
  })

  test('a message that was only announced has no raw mail', async () => {
    const { id } = await store({ mailbox: newMailbox() })
    expect((await refusalOf(client.raw(id))).status).toBe(404)
  })
})

type Part = { type: string; disposition: string; body: string; more?: string }

function mailWith(parts: Part[]): Buffer {
  const written = parts.map(
    ({ type, disposition, body, more = '' }) =>
      `--b\r\nContent-Type: ${type}\r\nContent-Disposition: ${disposition}\r\n${more}Content-Transfer-Encoding: base64\r\n\r\n` +
      `${Buffer.from(body, 'latin1').toString('base64')}\r\n`,
  )
  const text = '--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n'
  return Buffer.from(
    `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${text}${written.join('')}--b--\r\n`,
    'latin1',
  )
}

describe('attachments', () => {
  const PAGE = '<script>alert(1)</script>'
  const PARTS: Part[] = [
    { type: 'application/pdf', disposition: 'attachment; filename="bill.pdf"', body: BYTES.toString('latin1') },
    { type: 'text/html', disposition: 'attachment; filename="page.html"', body: PAGE },
    { type: 'image/png', disposition: 'inline; filename="logo.png"', body: 'png', more: 'Content-ID: <logo@shop>\r\n' },
    { type: 'image/png', disposition: 'inline', body: '', more: 'Content-ID: <a/b?c#d e%41>\r\n' },
  ]

  test('by index: the bytes, their type, and headers that keep a browser from executing them', async () => {
    const id = await sent(mailWith(PARTS))
    const { attachments } = await client.get(id)
    expect(attachments.map(({ index, filename }) => [index, filename])).toMatchObject([
      [0, 'bill.pdf'],
      [1, 'page.html'],
      [2, 'logo.png'],
      [3, null],
    ])
    for (const [index, { type, body }] of PARTS.entries()) {
      const response = await client.attachment(id, index)
      expect(response.headers.get('content-type')).toMatch(new RegExp(`^${type}(;|$)`))
      expect(response.headers.get('content-disposition')).toMatch(/^attachment(;|$)/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect((await bytesIn(response)).toString('latin1')).toBe(body)
      expect(attachments[index]!.size).toBe(body.length)
    }
  })

  test('by content id, escaped or not', async () => {
    const id = await sent(mailWith(PARTS))
    const { attachments } = await client.get(id)
    expect(attachments.map(({ contentId }) => contentId)).toEqual([null, null, 'logo@shop', 'a/b?c#d e%41'])
    for (const which of ['cid:logo@shop', encodeURIComponent('cid:logo@shop')])
      expect((await bytesIn(await client.attachment(id, which))).toString()).toBe('png')
    const odd = await client.attachment(id, encodeURIComponent('cid:a/b?c#d e%41'))
    expect((await bytesIn(odd)).toString()).toBe('')
  })

  test.each([
    '4',
    '-1',
    '1.5',
    '1e0',
    '0x1',
    '99999999999999999999',
    'bill.pdf',
    'cid:',
    'cid:none',
    'cid:%3Clogo',
    '%20',
  ])('attachment %s does not exist', async (which) => {
    const id = await sent(mailWith(PARTS))
    expect((await refusalOf(client.attachment(id, which))).status).toBe(404)
  })

  test.each<[string, string]>([
    ['quotes', String.raw`attachment; filename="a \"quoted\" name.txt"`],
    ['line ends', "attachment; filename*=utf-8''evil%0D%0AX-Injected%3A%20yes%0D%0A%0D%0Abody.txt"],
    ['not ASCII', "attachment; filename*=utf-8''r%C3%A9sum%C3%A9%20%E2%82%AC%20%F0%9F%93%8E.pdf"],
    ['8-bit', 'attachment; filename="caf\xe9.txt"'],
    ['a path', String.raw`attachment; filename="..\\..\\../../etc/passwd"`],
    ['controls', "attachment; filename*=utf-8''a%00b%1Bc%7F%C2%85%E2%80%AE.txt"],
    ['a lone surrogate', "attachment; filename*=utf-8''a%ED%A0%80b.txt"],
    ['percents, semicolons, stars', 'attachment; filename="100%; filename*=x.txt"'],
    ['very long', `attachment; filename="${'n'.repeat(2_000)}.txt"`],
  ])('a file name with %s gives a safe header', async (_, disposition) => {
    const id = await sent(mailWith([{ type: 'text/plain', disposition, body: 'content' }]))
    const response = await client.attachment(id, 0)
    const header = response.headers.get('content-disposition')!
    expect(header).toMatch(/^attachment(; filename="([ !#-[\]-~]|\\["\\])*")?(; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/)
    const extended = /filename\*=UTF-8''(.*)$/.exec(header)?.[1]
    expect(decodeURIComponent(extended ?? '')).not.toMatch(/[\0\r\n]/)
    expect(response.headers.get('x-injected')).toBeNull()
    expect((await bytesIn(response)).toString()).toBe('content')
  })

  test.each([
    'nonsense',
    'text/plain; charset="x\\"y"',
    'te xt/pl ain',
    'text/html\r\n\t; name="x"',
    '',
    'caf\xe9/\xff',
  ])('the type %j gives a safe header', async (type) => {
    const id = await sent(mailWith([{ type, disposition: 'attachment; filename="x"', body: 'content' }]))
    const response = await client.attachment(id, 0)
    expect(response.headers.get('content-type')).toMatch(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await bytesIn(response)).toString()).toBe('content')
  })
})
