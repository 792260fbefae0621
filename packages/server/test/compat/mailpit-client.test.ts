import { createHash } from 'node:crypto'
import { MailpitClient } from 'mailpit-api'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { inGroups } from '../../src/domain/in-groups.ts'
import { startServer } from '../support/server.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function start() {
  const server = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  return { ...server, client: new MailpitClient(server.compatUrl) }
}

test.each(['on its port', 'below our API, with a key'])('a suite with mailpit-api runs %s', async (where) => {
  const { client: open, url, apiKey, sendMail, sdk } = await start()
  const auth = { username: 'ci', password: apiKey }
  const client = where === 'on its port' ? open : new MailpitClient(`${url}/compat/mailpit/`, { auth })
  const { ID } = await client.sendMessage({
    From: { Email: 'app@shop.example', Name: 'Shop' },
    To: [{ Email: 'anna+42@shop.example', Name: 'Anna' }],
    Cc: [{ Email: 'ben@shop.example' }],
    Bcc: ['carla@shop.example'],
    ReplyTo: [{ Email: 'help@shop.example' }],
    Subject: 'Grüße',
    Text: 'Your code is 482913',
    HTML: '<p>Your code is <b>482913</b></p><img src="cid:logo">',
    Attachments: [
      { Content: PIXEL, Filename: 'logo.png', ContentType: 'image/png', ContentID: 'logo' },
      { Content: Buffer.from('one,two').toString('base64'), Filename: 'data.csv', ContentType: 'text/csv' },
    ],
    Headers: { 'X-Campaign': 'autumn' },
    Tags: ['red', 'blue'],
  })
  const found = await client.waitForMessage({ query: 'to:anna subject:Grüße tag:red' })
  expect((await client.searchMessages({ query: 'bcc:carla' })).messages).toHaveLength(1)
  const message = await client.getMessageSummary(ID)
  expect(found).toEqual(message)
  expect(message).toMatchObject({
    ID,
    From: { Name: 'Shop', Address: 'app@shop.example' },
    To: [{ Name: 'Anna', Address: 'anna+42@shop.example' }],
    Cc: [{ Name: '', Address: 'ben@shop.example' }],
    Bcc: [{ Name: '', Address: 'carla@shop.example' }],
    ReplyTo: [{ Name: '', Address: 'help@shop.example' }],
    ReturnPath: 'app@shop.example',
    Username: where === 'on its port' ? '' : 'ci',
    Subject: 'Grüße',
    Tags: ['42', 'blue', 'red'],
    Inline: [{ FileName: 'logo.png', ContentID: 'logo', ContentType: 'image/png' }],
    Attachments: [
      { FileName: 'data.csv', Size: 7, Checksums: { MD5: createHash('md5').update('one,two').digest('hex') } },
    ],
  })
  expect(await client.getMessageHeaders(ID)).toMatchObject({
    'X-Campaign': ['autumn'],
    Bcc: ['carla@shop.example'],
    'Return-Path': ['<app@shop.example>'],
  })
  const source = await client.getMessageSource(ID)
  expect(source).toContain('X-Tags: red, blue')
  const [file] = message.Attachments
  expect(await (await client.getMessageAttachment(ID, file!.PartID)).text()).toBe('one,two')
  expect(await client.renderMessageText(ID)).toContain('Your code is 482913')
  const page = await client.renderMessageHTML(ID)
  expect(page).toContain('<b>482913</b>')
  expect(page).toContain(`data:image/png;base64,${PIXEL}`)

  await sendMail({ to: 'dora@mail.example', subject: 'Second' })
  const list = await client.waitForMessages({ count: 2 })
  expect(list).toMatchObject({ total: 2, unread: 1, messages_count: 2, start: 0 })
  expect(list.messages.map(({ Subject }) => Subject)).toEqual(['Second', 'Grüße'])
  expect(await client.getTags()).toEqual(['42', 'blue', 'red'])
  expect(await client.getInfo()).toMatchObject({ Messages: 2, Unread: 1, Tags: { 42: 1, blue: 1, red: 1 } })
  expect(await client.getConfiguration()).toMatchObject({ MessageRelay: { Enabled: false }, ChaosEnabled: false })

  expect(await client.setReadStatus({ Read: true })).toBe('ok')
  expect((await client.listMessages()).unread).toBe(0)
  expect(await client.setReadStatus({ IDs: [ID], Read: false })).toBe('ok')
  expect(await client.setReadStatus({ Search: 'subject:Second', Read: false })).toBe('ok')
  const marked = await client.searchMessages({ query: 'is:unread' })
  expect(marked.messages.map(({ Subject }) => Subject)).toEqual(['Second', 'Grüße'])

  expect(await client.deleteMessagesBySearch({ query: 'subject:Grüße' })).toBe('ok')
  expect((await sdk.messages.list({})).data.map(({ subject }) => subject)).toEqual(['Second'])
  await sendMail({ to: 'dora@mail.example', subject: 'Third' })
  const { messages } = await client.waitForMessages({ count: 2 })
  expect(await client.deleteMessages({ IDs: [messages[1]!.ID] })).toBe('ok')
  expect((await client.listMessages()).messages.map(({ Subject }) => Subject)).toEqual(['Third'])
  expect(await client.deleteMessages()).toBe('ok')
  expect((await client.listMessages()).total).toBe(0)
})

test('what Mailhatch does not have is refused with a text that says so', async () => {
  const { client, sendMail } = await start()
  await sendMail({ to: 'anna@shop.example', subject: 'Hello', attachments: [{ filename: 'a.txt', content: 'a' }] })
  const [message] = (await client.waitForMessages()).messages
  const { ID } = message!
  const calls: [RegExp, () => Promise<unknown>][] = [
    [/releasing mail/, () => client.releaseMessage(ID, { To: ['x@shop.example'] })],
    [/HTML check/, () => client.htmlCheck(ID)],
    [/link check/, () => client.linkCheck(ID)],
    [/SpamAssassin/, () => client.spamAssassinCheck(ID)],
    [/POST \/v1\/scenarios/, () => client.getChaosTriggers()],
    [/POST \/v1\/scenarios/, () => client.setChaosTriggers({})],
  ]
  for (const [text, call] of calls) await expect(call()).rejects.toThrow(text)
  await expect(client.getMessageSummary('0000000000000000000000')).rejects.toThrow('404')
})

test('the thumbnail of a small raster image is the image, and others are blank', async () => {
  const { client, compatUrl, sendMail } = await start()
  const pixel = Buffer.from(PIXEL, 'base64')
  await sendMail({
    to: 'anna@shop.example',
    subject: 'Pictures',
    attachments: [
      { filename: 'small.png', content: pixel },
      { filename: 'large.png', content: Buffer.concat([pixel, Buffer.alloc(1024 * 1024)]) },
      { filename: 'drawing.svg', content: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' },
      { filename: 'a.txt', content: 'a' },
    ],
  })
  const [message] = (await client.waitForMessages()).messages
  const thumbnailOf = async (part: string) => {
    const response = await fetch(`${compatUrl}/api/v1/message/${message!.ID}/part/${part}/thumb`)
    const { headers, status } = response
    return { headers, status, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const small = await thumbnailOf('0')
  expect(small.bytes).toEqual(pixel)
  for (const part of ['1', '2', '3']) {
    const { bytes } = await thumbnailOf(part)
    // The size in the header of a PNG.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes.length < 200]).toEqual([180, 120, true])
  }
  for (const { headers } of [small, await thumbnailOf('2')]) {
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  expect((await thumbnailOf('4')).status).toBe(404)
  const thumbnail = await client.getAttachmentThumbnail(message!.ID, '0')
  expect(Buffer.from(await thumbnail.arrayBuffer())).toEqual(pixel)
})

test('bad input is refused and changes nothing', async () => {
  const { client, compatUrl, sendMail } = await start()
  await sendMail({ to: 'anna@shop.example', subject: 'Stays' })
  await client.waitForMessages()
  const ask = async (method: string, path: string, body?: string) => {
    const response = await fetch(`${compatUrl}${path}`, { method, ...(body !== undefined && { body }) })
    return `${response.status} ${await response.text()}`
  }
  // Mailpit deletes everything in the first two cases.
  expect(await ask('DELETE', '/api/v1/messages', '{"IDs": [')).toMatch(/^400 The body is not JSON/)
  expect(await ask('DELETE', '/api/v1/search?query=before:soon')).toMatch(/^400 "soon" is not a date/)
  expect(await ask('DELETE', '/api/v1/search?query=before:2026-01-01&tz=Mars')).toMatch(
    /^400 tz: "Mars" is not a time zone/,
  )
  const deep = (inner: string) => '['.repeat(100_000) + inner + ']'.repeat(100_000)
  expect(await ask('DELETE', '/api/v1/messages', deep(''))).toMatch(/^400 The body is not/)
  expect(await ask('DELETE', '/api/v1/messages', '['.repeat(100_000))).toMatch(/^400 The body is not/)
  expect(await ask('PUT', '/api/v1/messages', `{"ids": ${deep('{}')}}`)).toMatch(/^400 The body is not valid: ids/)
  for (const query of ['to:', '""', '-to:', ' "" ', 'to: ,']) {
    const search = encodeURIComponent(query)
    expect(await ask('DELETE', `/api/v1/search?query=${search}`)).toMatch(/^400 The search says nothing/)
    const body = JSON.stringify({ Read: true, Search: query })
    expect(await ask('PUT', '/api/v1/messages', body)).toMatch(/^400 The search says nothing/)
    expect(await ask('GET', `/api/v1/search?query=${search}`)).toMatch(/^200 .*"messages_count":1.*"Read":false/)
  }
  expect(await ask('PUT', '/api/v1/messages', '{"Read":true,"Search":" "}')).toMatch(/^400 The search says nothing/)
  expect(await ask('DELETE', '/api/v1/messages', '{"IDs": "x"}')).toMatch(/^400 The body is not valid: ids/)
  expect(await ask('DELETE', '/api/v1/search')).toMatch(/^400 Error: no search query/)
  expect(await ask('PUT', '/api/v1/messages', '')).toMatch(/^400 The body is empty/)
  expect(await ask('PUT', '/api/v1/messages', '{"Read":true,"IDs":["x"],"Search":"y"}')).toMatch(/^400 You may specify/)
  expect(await ask('GET', `/api/v1/search?query=${'a+'.repeat(51)}`)).toMatch(/^400 A search has at most 50 parts/)
  expect(await ask('POST', '/api/v1/send', '{"From":{"Email":"a@b.example"},"To":[{"Email":"nonsense"}]}')).toBe(
    '400 {"Error":"invalid To address: nonsense"}',
  )
  expect(
    await ask('POST', '/api/v1/send', '{"From":{"Email":"a@b.example"},"Headers":{"To":"x"},"Bcc":["a@b.example"]}'),
  ).toBe('400 {"Error":"cannot overwrite header: \\"To\\""}')
  expect(await ask('GET', '/api/v1/search?query=constructor')).toMatch(/^200 .*"messages_count":0/)
  expect(await ask('GET', '/api/v1/nothing')).toMatch(/^404/)
  expect(await ask('POST', '/api/v1/messages')).toMatch(/^405 Use GET or PUT or DELETE here/)
  expect((await client.listMessages()).messages.map(({ Subject }) => Subject)).toEqual(['Stays'])
})

test('what is sent passes the limits of SMTP: allowed domains, size and free disk space', async () => {
  const send = async (settings: Record<string, string>, to: string, text = 'Hello') => {
    const { compatUrl } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0', ...settings })
    const body = JSON.stringify({ From: { Email: 'app@shop.example' }, To: [{ Email: to }], Text: text })
    const response = await fetch(`${compatUrl}/api/v1/send`, { method: 'POST', body })
    const { total } = (await (await fetch(`${compatUrl}/api/v1/messages`)).json()) as { total: number }
    return `${response.status} ${await response.text()} ${total}`
  }
  const limits = { SMTP_ALLOWED_DOMAINS: 'mailhatch.test,Shop.example', SMTP_MAX_SIZE: '2000' }
  expect(await send(limits, 'qa@mailhatch.test')).toMatch(/^200 .* 1$/)
  expect(await send(limits, 'qa@other.example')).toBe(
    '400 {"Error":"SMTP_ALLOWED_DOMAINS does not list other.example."} 0',
  )
  expect(await send(limits, 'qa@mailhatch.test', 'long '.repeat(500))).toMatch(
    /^400 .*larger than SMTP_MAX_SIZE, 2000 bytes.* 0$/,
  )
  const full = { DISK_FREE_MIN: String(2 ** 52) }
  expect(await send(full, 'qa@mailhatch.test')).toMatch(/^507 .*no room for more mail\. 0$/)
})

test('a list has at most 1,000 messages', async () => {
  const { client, sendMail, sdk } = await start()
  await inGroups(Array.from({ length: 1_100 }), 25, () => sendMail({ to: 'anna@shop.example', subject: 'Many' }))
  await expect.poll(async () => (await sdk.messages.count({})).count, { timeout: 60_000 }).toBe(1_100)
  for (const limit of [0, 5_000]) {
    const { total, messages } = await client.listMessages(0, limit)
    expect([total, messages.length]).toEqual([1_100, 1_000])
  }
})

test('a path with two slashes is the one with one, as clients for Cypress write it', async () => {
  const { client, compatUrl, url, apiKey, sendMail } = await start()
  await sendMail({ to: 'anna@shop.example', subject: 'Hello', text: 'Seen' })
  const [message] = (await client.waitForMessages()).messages
  const headers = { authorization: `Bearer ${apiKey}` }
  for (const door of [compatUrl, `${url}/compat/mailpit`]) {
    expect(await (await fetch(`${door}//view/${message!.ID}.txt`, { headers })).text()).toContain('Seen')
    expect((await fetch(`${door}//view/${'0'.repeat(22)}.txt`, { headers })).status).toBe(404)
  }
})

test('the name with which an app signs in to SMTP is shown, in this API alone', async () => {
  const { client, smtpPort, sdk } = await start()
  const transport = createTransport({ port: smtpPort, ignoreTLS: true, auth: { user: 'billing', pass: 'any' } })
  await transport.sendMail({ from: 'app@shop.example', to: 'anna@shop.example', subject: 'Hello', text: 'Hello' })
  transport.close()
  expect((await client.waitForMessages()).messages).toMatchObject([{ Username: 'billing' }])
  const [message] = (await sdk.messages.list({})).data
  expect((await sdk.messages.get(message!.id)).envelope).not.toHaveProperty('username')
})

test('health checks need nothing', async () => {
  const { compatUrl } = await start()
  for (const path of ['/livez', '/readyz', '/']) expect((await fetch(compatUrl + path)).status).toBe(200)
})
