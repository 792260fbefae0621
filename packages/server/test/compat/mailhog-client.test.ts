import mailhog from 'mailhog'
import { expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

async function start() {
  const server = await startServer({ COMPAT: 'mailhog', COMPAT_PORT: '0' })
  const { hostname: host, port } = new URL(server.compatUrl)
  return { ...server, client: mailhog({ host, port: Number(port) }) }
}

test.each(['on its port', 'below our API, with a key'])('a suite with the client mailhog runs %s', async (where) => {
  const { client: open, url, apiKey, sendMail, sdk } = await start()
  const { hostname: host, port } = new URL(url)
  const keyed = mailhog({ host, port: Number(port), basePath: '/compat/mailhog/api', auth: `ci:${apiKey}` })
  const client = where === 'on its port' ? open : keyed
  await sendMail({
    from: 'Shop <app@shop.example>',
    to: 'Anna <anna@shop.example>',
    cc: 'Ben <team@shop.example>',
    bcc: 'boss@shop.example',
    replyTo: 'help@shop.example',
    envelope: { from: 'app@shop.example', to: 'anna@shop.example' },
    subject: 'Grüße',
    text: 'Your code is 482913, Jürgen.\n',
    html: '<p>Your code is <b>482913</b></p>',
    attachments: [{ filename: 'data.csv', contentType: 'text/csv', content: Buffer.from('one,two') }],
    date: new Date('2026-11-18T10:00:00Z'),
  })
  await expect.poll(async () => (await client.messages())?.total).toBe(1)
  await sendMail({ to: 'dora@mail.example', from: 'Other <other@mail.example>', subject: 'Second', text: 'Plain text' })
  await expect.poll(async () => (await client.messages())?.total).toBe(2)

  const list = await client.messages()
  expect(list).toMatchObject({ total: 2, count: 2, start: 0 })
  expect(list!.items.map(({ subject }) => subject)).toEqual(['Second', 'Grüße'])
  expect((await client.messages(1, 5))!.items.map(({ subject }) => subject)).toEqual(['Grüße'])
  expect(await client.search('anna@shop.example', 'to')).toMatchObject({ total: 1, count: 1 })
  expect((await client.search('482913'))!.items).toHaveLength(1)
  // It is encoded in the mail.
  expect((await client.search('GRÜSSE'.replace('SS', 'ß')))!.items).toHaveLength(1)
  expect(await client.search('nothing of it', 'from', 0, 3)).toMatchObject({ total: 0, count: 0, items: [] })

  const message = (await client.latestTo('anna@shop.example'))!
  expect(message).toMatchObject({
    From: { Relays: null, Mailbox: 'app', Domain: 'shop.example', Params: '' },
    To: [{ Relays: null, Mailbox: 'anna', Domain: 'shop.example', Params: '' }],
    Raw: { From: 'app@shop.example', To: ['anna@shop.example'] },
    Content: { Headers: { 'Return-Path': ['<app@shop.example>'] } },
  })
  expect(message).toMatchObject({
    subject: 'Grüße',
    from: 'Shop <app@shop.example>',
    to: 'Anna <anna@shop.example>',
    cc: 'Ben <team@shop.example>',
    replyTo: 'help@shop.example',
    date: new Date('2026-11-18T10:00:00Z'),
  })
  expect(message.bcc).toBeUndefined()
  expect(message.deliveryDate).toBeInstanceOf(Date)
  expect(message.deliveryDate.getTime()).not.toBeNaN()
  // As in MailHog, the text is inside of a part of the mail with the file.
  expect(message.text).toBeUndefined()
  const [file] = message.attachments
  expect(file).toMatchObject({ name: 'data.csv', type: 'text/csv; name=data.csv', encoding: 'base64' })
  expect(client.decode(file!.Body, file!.encoding)).toBe('one,two')
  expect(client.decode(client.encode('Jürgen', 'quoted-printable'), 'quoted-printable')).toBe('Jürgen')
  const plain = (await client.latestFrom('other@mail'))!
  expect(plain.text.trim()).toBe('Plain text')
  expect((await client.latestContaining('plain TEXT'))!.ID).toBe(plain.ID)
  expect(await client.latestTo('nothing')).toBe(0)

  // The client rejects what is no JSON, so that a test notices. The error has the beginning of the text.
  await expect(client.releaseMessage(plain.ID, { host: 'x', port: '25', email: 'x@y.example' })).rejects.toThrow(
    '"Not suppor',
  )
  expect(await client.deleteMessage(plain.ID)).toMatchObject({ statusCode: 200 })
  expect((await sdk.messages.list({})).data.map(({ subject }) => subject)).toEqual(['Grüße'])
  expect(await client.deleteAll()).toMatchObject({ statusCode: 200 })
  expect(await client.messages()).toEqual({ total: 0, count: 0, start: 0, items: [] })
})

test('a query in quoted-printable finds the mail that is encoded so, and other words find any', async () => {
  const { client, sendMail } = await start()
  for (const textEncoding of ['quoted-printable', 'base64'] as const) {
    await sendMail({ to: 'anna@shop.example', subject: textEncoding, text: 'Hello Jürgen', textEncoding })
  }
  const found = async (query: string) => (await client.search(query))!.items.map(({ subject }) => subject)
  expect(await found('Jürgen')).toEqual(['base64', 'quoted-printable'])
  expect(await found(client.encode('Jürgen', 'quoted-printable'))).toEqual(['quoted-printable'])
  expect(await found('=FC')).toEqual([])
})

test('what Mailhatch does not have is refused with a text that says so, and bad input changes nothing', async () => {
  const { client, compatUrl, sendMail } = await start()
  await sendMail({ to: 'anna@shop.example', subject: 'Stays', text: 'Hello' })
  await expect.poll(async () => (await client.messages())?.total).toBe(1)
  const { ID } = (await client.messages())!.items[0]!
  const ask = async (method: string, path: string) => {
    const response = await fetch(`${compatUrl}${path}`, { method })
    return `${response.status} ${await response.text()}`
  }
  expect(await ask('POST', `/api/v1/messages/${ID}/release`)).toMatch(/^400 Not supported by Mailhatch: releasing mail/)
  expect(await ask('POST', '/api/v1/messages/unknown/release')).toBe('404 Message not found')
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await ask(method, '/api/v2/jim')).toMatch(/^404 .*\/v1\/scenarios/)
  expect(await ask('POST', '/api/v2/jim')).toMatch(/^400 .*POST \/v1\/scenarios/)
  expect(await ask('GET', '/api/v2/search?kind=subject&query=a')).toBe('400 kind must be from, to or containing.')
  expect(await ask('GET', '/api/v2/search?kind=to&query=')).toBe('400 query is missing.')
  expect(await ask('DELETE', '/api/v1/messages/unknown')).toBe('404 Message not found')
  expect(await ask('GET', '/api/v1/messages/unknown')).toBe('200 null')
  for (const part of ['0', '-1', 'x', '99999']) {
    expect(await ask('GET', `/api/v1/messages/${ID}/mime/part/${part}/download`)).toBe(
      '404 The message has no such part.',
    )
  }
  expect(await ask('GET', '/api/v1/nothing')).toMatch(/^404/)
  expect(await ask('POST', '/api/v1/messages')).toMatch(/^405 Use GET or DELETE here/)
  for (const path of ['/livez', '/readyz', '/']) expect(await ask('GET', path)).toMatch(/^200/)
  expect((await client.messages())!.items.map(({ subject }) => subject)).toEqual(['Stays'])
})
