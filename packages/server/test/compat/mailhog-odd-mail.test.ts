import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inGroups } from '../../src/domain/in-groups.ts'
import { startServer } from '../support/server.ts'

const FOLDER = join(import.meta.dirname, '../mail/odd')
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.eml'))
const MIB = 1024 * 1024

type Message = {
  ID: string
  Content: { Body: string; Size: number }
  MIME: { Parts: unknown[] | null } | null
  Raw: { Data: string }
}

async function start() {
  const { compatUrl, sendMail } = await startServer({ COMPAT: 'mailhog', COMPAT_PORT: '0' })
  const envelope = { from: 'app@shop.example', to: 'anna@shop.example' }
  const list = async () => (await (await fetch(`${compatUrl}/api/v1/messages`)).json()) as Message[]
  const total = async () => {
    const { total } = (await (await fetch(`${compatUrl}/api/v2/messages?limit=1`)).json()) as { total: number }
    return total
  }
  return { compatUrl, list, total, send: (raw: string | Buffer) => sendMail({ envelope, raw }) }
}

test('every odd mail can be listed, read and searched, with all its parts', async () => {
  const { compatUrl, list, total, send } = await start()
  await inGroups(FILES, 10, (name) => send(readFileSync(join(FOLDER, name))))
  await expect.poll(total, { timeout: 60_000 }).toBe(FILES.length)
  const get = (path: string) => fetch(`${compatUrl}/api${path}`)
  await inGroups(await list(), 10, async (message) => {
    expect(await (await get(`/v1/messages/${message.ID}`)).json()).toEqual(message)
    const mail = await (await get(`/v1/messages/${message.ID}/download`)).arrayBuffer()
    expect(mail.byteLength - message.Content.Size).toBeOneOf([0, 2])
    for (const index of message.MIME?.Parts?.keys() ?? []) {
      expect((await get(`/v1/messages/${message.ID}/mime/part/${index}/download`)).status).toBe(200)
    }
  })
  const search = async (query: string) =>
    (await (await get(`/v2/search?kind=containing&limit=250&query=${query}`)).json()) as {
      total: number
      items: Message[]
    }
  // Others have it only in encoded text.
  const plain = FILES.filter((name) => readFileSync(join(FOLDER, name)).includes('482913')).length
  const { total: matching, items } = await search('482913')
  expect(matching).toBeGreaterThanOrEqual(plain)
  expect(items).toHaveLength(matching)
  expect((await search('no-mail-says-this')).total).toBe(0)
})

test('a large mail is the same in lists, also for several clients at once, and one that leaves does not block others', async () => {
  const { compatUrl, list, total, send } = await start()
  const line = `${'0123456789 €'.repeat(80)}\r\n`
  const raw = `Subject: Large\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${line.repeat(3_000)}`
  await send(raw)
  await expect.poll(total).toBe(1)
  const leaving = await fetch(`${compatUrl}/api/v2/messages`)
  await leaving.body!.cancel()
  expect((await fetch(`${compatUrl}/api/v2/messages`, { method: 'HEAD' })).status).toBe(200)
  for (const [message] of await Promise.all([list(), list(), list()])) {
    expect(message!.Content.Size).toBeGreaterThan(2 * MIB)
    expect(message!.Raw.Data === raw.slice(0, -2)).toBe(true)
  }
})
