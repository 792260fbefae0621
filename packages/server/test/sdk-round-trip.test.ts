import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { store } from './support/announce.ts'
import { startServer } from './support/server.ts'

test('messages: raw mail, attachments, and deleting', async () => {
  const { sdk, sendMail } = await startServer()
  const logo = Buffer.from([0, 255, 128, 10, 13])
  const html = '<img src="cid:logo@shop.example"> <p>Hello</p>'
  const attachments = [
    { filename: 'logo.png', content: logo, cid: 'logo@shop.example' },
    { filename: 'terms.txt', content: 'Be nice.' },
  ]
  await sendMail({ to: 'qa+1@mailhatch.test', subject: 'Pictures', html, attachments })
  const mail = await sdk.messages.waitFor({ mailbox: 'qa+1' })
  expect(Buffer.from(await sdk.messages.attachment(mail.id, 'cid:logo@shop.example'))).toEqual(logo)
  const terms = mail.attachments.find(({ filename }) => filename === 'terms.txt')!
  expect(new TextDecoder().decode(await sdk.messages.attachment(mail.id, terms.index))).toBe('Be nice.')
  expect(new TextDecoder().decode(await sdk.messages.raw(mail.id))).toContain('Subject: Pictures\r\n')
  expect((await sdk.messages.latest({ mailbox: 'qa+1' })).id).toBe(mail.id)
  expect((await sdk.messages.list({ mailbox: 'qa+1' })).data).toMatchObject([{ id: mail.id, attachmentCount: 2 }])
  expect(await sdk.messages.delete(mail.id)).toEqual({ id: mail.id })
  await expect(sdk.messages.get(mail.id)).rejects.toBeInstanceOf(NotFoundError)
  await expect(sdk.messages.deleteMany({})).rejects.toBeInstanceOf(ValidationError)
  expect(await sdk.messages.deleteMany({ mailbox: 'qa' })).toEqual({ deleted: 0 })
})

test('a message lists all recipients of its headers, Reply-To and Date', async () => {
  const { sdk, sendMail } = await startServer()
  await sendMail({
    envelope: { from: 'app@shop.example', to: ['qa+all@mailhatch.test'] },
    to: ['"Lee, Ann" <ann@shop.example>', 'qa+all@mailhatch.test'],
    cc: 'Jörg Müller <joerg@shop.example>',
    replyTo: 'help@shop.example',
    date: '2026-11-16T12:42:56Z',
    subject: 'To many',
  })
  const mail = await sdk.messages.waitFor({ mailbox: 'qa+all' })
  expect(mail).toMatchObject({
    to: 'qa+all@mailhatch.test',
    toAll: [
      { address: 'ann@shop.example', name: 'Lee, Ann' },
      { address: 'qa+all@mailhatch.test', name: null },
    ],
    cc: [{ address: 'joerg@shop.example', name: 'Jörg Müller' }],
    replyTo: [{ address: 'help@shop.example', name: null }],
    date: '2026-11-16T12:42:56.000Z',
  })
})

test('all pages of a real mailbox', async () => {
  const { sdk, url } = await startServer()
  const numbers = Array.from({ length: 7 }, (_, index) => String(index + 1))
  for (const subject of numbers) await store(url, { mailbox: 'qa', subject })
  const subjects = await Array.fromAsync(sdk.messages.list({ mailbox: 'qa', limit: 2 }), ({ subject }) => subject)
  expect(subjects).toEqual(numbers.toReversed())
  const following = await Array.fromAsync(sdk.messages.list({ after: 'c0', limit: 3 }), ({ subject }) => subject)
  expect(following).toEqual(numbers)
  const deleted: string[] = []
  for await (const { id, subject } of sdk.messages.list({ mailbox: 'qa', limit: 2 })) {
    await sdk.messages.delete(id)
    deleted.push(subject)
  }
  expect(deleted).toEqual(numbers.toReversed())
})

test('mailboxes, keys, rejections, and the server itself', async () => {
  const { sdk } = await startServer()
  const { id } = await sdk.mailboxes.create('orders')
  expect(await sdk.mailboxes.rename(id, 'receipts')).toMatchObject({ id, address: 'receipts@mailhatch.test' })
  await sdk.mailboxes.create('orders')
  await expect(sdk.mailboxes.rename(id, 'orders')).rejects.toBeInstanceOf(ConflictError)
  await expect(sdk.mailboxes.create('admin')).rejects.toMatchObject({
    name: 'ValidationError',
    code: 'mailbox_reserved',
  })
  expect((await sdk.mailboxes.list({ mailbox: 'receipts' })).map(({ name }) => name)).toEqual(['receipts'])
  expect(await sdk.mailboxes.delete(id)).toEqual({ id })
  const { key, apiKey } = await sdk.apiKeys.rotate()
  expect((await sdk.me()).key.id).toBe(apiKey.id)
  expect(key).toMatch(/^mh_/)
  expect(await sdk.rejections.list({ limit: 5 })).toEqual([])
  expect(await sdk.health()).toEqual({ status: 'ok' })
  expect(await sdk.ready()).toEqual({ status: 'ready', troubles: [] })
  expect(await sdk.openapi()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
})

test('webhooks', async () => {
  const { sdk } = await startServer()
  const { endpoint, secret } = await sdk.webhooks.create({ url: 'https://shop.example/hook', tag: 'login' })
  expect(secret).toMatch(/^whsec_/)
  expect(await sdk.webhooks.list()).toEqual([endpoint])
  expect(await sdk.webhooks.update(endpoint.id, { active: false })).toMatchObject({ id: endpoint.id, active: false })
  expect((await sdk.webhooks.rotateSecret(endpoint.id)).secret).not.toBe(secret)
  expect(await sdk.webhooks.deliveries(endpoint.id, { limit: 5 })).toEqual([])
  await expect(sdk.webhooks.replay(endpoint.id, endpoint.id)).rejects.toBeInstanceOf(NotFoundError)
  expect(await sdk.webhooks.delete(endpoint.id)).toEqual({ id: endpoint.id })
  const starter = await startServer({ DEFAULT_PLAN: 'starter' })
  await expect(starter.sdk.webhooks.create({ url: 'https://shop.example/hook' })).rejects.toBeInstanceOf(ForbiddenError)
})
