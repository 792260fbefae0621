import { expect, test } from 'vitest'
import { startFileServer } from './support/file-server.ts'
import { openPeople } from './support/people.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { testGrowth } from './view-size.ts'

/** Images, each a third larger than its bytes, and 4 MiB for everything else. */
const PAGE_BYTES_MAX = 7_000_000 + 4 * 1024 * 1024 + 10_000

const server = await startFileServer()
const people = await openPeople(server)
const operator = await people.operator()

/** Sent by SMTP and opened like in the dashboard. */
async function pageOf(mail: { html: string; image?: Buffer }): Promise<{ sent: number; page: string }> {
  const tag = `view${Math.random().toString(36).slice(2)}`
  const raw = Buffer.from(
    [
      'Subject: images',
      'From: shop@shop.example',
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      mail.html,
      '--b',
      'Content-Type: image/png',
      'Content-ID: <a>',
      'Content-Transfer-Encoding: base64',
      '',
      (mail.image ?? Buffer.alloc(10)).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      '--b--',
      '',
    ].join('\r\n'),
  )
  const client = await SmtpClient.connect(server.smtpPort)
  expect(await client.send({ to: `qa+${tag}@mailhatch.test`, raw })).toMatch(/^250 /)
  client.close()
  const { data } = await server.latest(`tag=${tag}&wait=20`)
  const { path } = await operator.call.inbox.messages.view.query({ id: data.id })
  const answer = await fetch(`${server.url}${path}`)
  expect(answer.status).toBe(200)
  return { sent: raw.byteLength, page: await answer.text() }
}

test('an image that is used 3,500 times is written as often as fits into 5 MB, and the rest stay empty', async () => {
  const html = '<img src=cid:a>\r\n'.repeat(3_500)
  const { sent, page } = await pageOf({ html, image: Buffer.alloc(100_000, 7) })
  expect(sent).toBeLessThan(250_000)
  expect(page.length).toBeLessThan(PAGE_BYTES_MAX)
  const written = page.split('<img src="data:image/png;base64,').length - 1
  expect(written).toBe(Math.floor(7_000_000 / (Math.ceil(100_000 / 3) * 4 + 22)))
  expect(page.split('<img').length - 1).toBe(3_500)
  // An image that is shown once is complete.
  const { page: small } = await pageOf({ html: '<img src="cid:a">', image: Buffer.alloc(100_000, 7) })
  expect(small.split('data:image/png;base64,BwcH').length).toBe(2)
})

test('a page longer than 4 MiB is truncated, and says so', async () => {
  const { page } = await pageOf({ html: '<a b>x\r\n'.repeat(120_000) })
  expect(page.length).toBeLessThan(PAGE_BYTES_MAX)
  expect(page.includes('This message is too long to show in full.')).toBe(true)
  expect((await pageOf({ html: '<a>x</a>' })).page).not.toContain('Too long')
})

// More of them are in view-size.long.test.ts.
testGrowth({ seed: 1, mixes: 3 })
