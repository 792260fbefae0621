import { expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

type Email = Record<string, unknown> & { id: string; subject: string; attachments: File[] | null }
type File = { generatedFileName: string; filename?: string; fileName?: string }

/** Both versions, with the part of their paths that differs. */
const VERSIONS = [
  { version: 2, prefix: '' },
  { version: 3, prefix: '/api' },
]

async function start() {
  const server = await startServer({ COMPAT: 'maildev', COMPAT_PORT: '0' })
  const ask = async (method: string, path: string, body?: string) => {
    const response = await fetch(`${server.compatUrl}${path}`, { method, ...(body !== undefined && { body }) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const emails = async (path: string) => JSON.parse((await ask('GET', path)).text) as Email[]
  /** As a suite does it that polls. */
  const arrived = async (count: number) => {
    await expect.poll(async () => (await emails('/email')).length, { timeout: 10_000 }).toBe(count)
  }
  return { ...server, ask, emails, arrived }
}

test('each file of a mail can be fetched by its name, also if two have the same', async () => {
  const { ask, emails, arrived, sendMail } = await start()
  const twice = { filename: 'a b.txt', contentType: 'text/plain' }
  await sendMail({
    to: 'anna@shop.example',
    subject: 'Files',
    text: 'See below.',
    attachments: [{ ...twice, content: 'one' }, { ...twice, content: 'two' }, { content: Buffer.from([0, 1, 2]) }],
  })
  await arrived(1)
  for (const { prefix } of VERSIONS) {
    const [email] = await emails(`${prefix}/email`)
    const names = email!.attachments!.map(({ generatedFileName }) => generatedFileName)
    const files = await Promise.all(names.map((name) => ask('GET', `${prefix}/email/${email!.id}/attachment/${name}`)))
    expect(files.map(({ text }) => text)).toEqual(['one', 'two', '\u0000\u0001\u0002'])
  }
})

test('a hidden recipient, a missing date, replies and priorities are shown as MailDev does', async () => {
  const { emails, arrived, sendMail } = await start()
  const sentAt = Date.now()
  await sendMail({
    envelope: { from: 'bounce@shop.example', to: 'hidden@shop.example' },
    raw: [
      'From: Shop <app@shop.example>',
      'To: list@shop.example',
      'Subject: Odd',
      'X-Priority: 1 (Highest)',
      'In-Reply-To: <a@shop.example>',
      'References: <a@shop.example> <b@shop.example>',
      'X-Trace: one',
      'X-Trace: two',
      'List-Unsubscribe: <https://shop.example/out>',
      '',
      'Hello',
    ].join('\r\n'),
  })
  await arrived(1)
  const [[second], [third]] = await Promise.all([emails('/email'), emails('/api/email')])
  for (const email of [second!, third!]) {
    expect(email).toMatchObject({
      calculatedBcc: [{ address: 'hidden@shop.example', name: '' }],
      to: [{ address: 'list@shop.example', name: '' }],
      from: [{ address: 'app@shop.example', name: 'Shop' }],
      priority: 'high',
      read: false,
      headers: { 'x-trace': ['one', 'two'] },
    })
    expect(Date.parse(String(email['time']))).toBeGreaterThan(sentAt - 60_000)
  }
  expect(second).toMatchObject({
    inReplyTo: ['a@shop.example'],
    references: ['a@shop.example', 'b@shop.example'],
    headers: {
      'x-priority': 'high',
      'list-unsubscribe': '<https://shop.example/out>',
      from: 'Shop <app@shop.example>',
    },
    envelope: {
      from: { address: 'bounce@shop.example', args: false },
      to: [{ address: 'hidden@shop.example', args: false }],
      remoteAddress: '127.0.0.1',
    },
    attachments: null,
  })
  expect(third).toMatchObject({
    inReplyTo: '<a@shop.example>',
    envelope: { from: { address: 'bounce@shop.example' }, to: [{ address: 'hidden@shop.example' }] },
    attachments: [],
  })
  expect(third!['headers']).toEqual({
    subject: 'Odd',
    priority: 'high',
    'in-reply-to': '<a@shop.example>',
    references: ['<a@shop.example>', '<b@shop.example>'],
    'x-trace': ['one', 'two'],
  })
})

test('filters look at properties of the email alone, and a list in the order of arrival', async () => {
  const { emails, arrived, sendMail } = await start()
  for (const [index, subject] of ['One', 'Two', 'Three'].entries()) {
    await sendMail({ to: `${subject.toLowerCase()}@shop.example`, subject })
    await arrived(index + 1)
  }
  for (const { version, prefix } of VERSIONS) {
    const subjects = async (query: string) => (await emails(`${prefix}/email${query}`)).map(({ subject }) => subject)
    expect(await subjects('')).toEqual(['One', 'Two', 'Three'])
    expect(await subjects('?to.address=two@shop.example')).toEqual(['Two'])
    expect(await subjects('?envelope.to.address=two@shop.example&subject=Two')).toEqual(['Two'])
    expect(await subjects('?to.address=two@shop.example&subject=One')).toEqual([])
    expect(await subjects('?skip=1')).toEqual(['Two', 'Three'])
    expect(await subjects('?read=false')).toEqual(version === 2 ? [] : ['One', 'Two', 'Three'])
    for (const query of ['?constructor.name=Object', '?__proto__=x', '?subject.length=3', '?=']) {
      expect(await subjects(query)).toEqual([])
    }
  }
})

test('what Mailhatch does not have is refused with a text that says so, and bad input changes nothing', async () => {
  const { ask, emails, arrived, sendMail } = await start()
  await sendMail({ to: 'anna@shop.example', subject: 'Stays' })
  await arrived(1)
  const [email] = await emails('/email')
  for (const { prefix } of VERSIONS) {
    const answer = async (method: string, path: string, body?: string) => {
      const { status, text } = await ask(method, `${prefix}${path}`, body)
      return `${status} ${(JSON.parse(text) as { error: string }).error}`
    }
    expect(await answer('POST', `/email/${email!.id}/relay`)).toMatch(/^400 .*relaying mail/)
    expect(await answer('POST', `/email/${email!.id}/relay/x@shop.example`)).toMatch(/^400 .*relaying mail/)
    expect(await answer('POST', '/email/unknown/relay')).toBe('404 Email was not found')
    expect(await answer('GET', '/reloadMailsFromDirectory')).toMatch(/^400 .*SMTP port/)
    expect(await answer('DELETE', '/email/unknown')).toBe('404 Email was not found')
    expect(await answer('PUT', '/email/all')).toMatch(/^405 Use DELETE/)
    expect(await answer('GET', '/nothing')).toBe('404 Not found')
    const filters = Array.from({ length: 51 }, (_, number) => `a${number}=x`).join('&')
    expect(await answer('GET', `/email?${filters}`)).toBe('400 A list has at most 50 filters.')
  }
  for (const body of ['{', '', '{"ids":"x"}', '{"ids":[""]}', '[]']) {
    expect((await ask('POST', '/api/email/delete', body)).status).toBe(400)
  }
  expect((await emails('/email')).map(({ subject }) => subject)).toEqual(['Stays'])
  // Control: the same path deletes.
  const deletion = await ask('POST', '/api/email/delete', JSON.stringify({ ids: [email!.id, 'unknown'] }))
  expect(JSON.parse(deletion.text)).toEqual({ deleted: [email!.id], notFound: ['unknown'] })
  expect(await emails('/email')).toEqual([])
})

test('a list has the newest 1,000 emails whole, and a part of it can be any', async () => {
  const { emails, sendMail, sdk } = await start()
  const count = 1_005
  for (let sent = 0; sent < count; sent += 201) {
    await Promise.all(Array.from({ length: 201 }, () => sendMail({ to: 'anna@shop.example', subject: 'Many' })))
  }
  await expect.poll(async () => (await sdk.messages.count({ mailbox: 'anna' })).count, { timeout: 60_000 }).toBe(count)
  expect(await emails('/email')).toHaveLength(1_000)
  expect(await emails('/email?skip=1000')).toHaveLength(5)
  expect(await emails('/api/email?skip=2&limit=3')).toHaveLength(3)
})
