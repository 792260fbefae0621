import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signWebhook } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from './support/free-port.ts'
import { startServer } from './support/server.ts'
import { webhookClient } from './support/webhook-client.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/webhook-receiver')
const DOCUMENT = join(import.meta.dirname, '../../../docs/guide/webhooks.md')
const SECRET = `whsec_${btoa('the present secret of the tests.')}`
const OTHER_SECRET = `whsec_${btoa('the former secret of the tests..')}`

async function startExample(environment: { WEBHOOK_SECRET: string; PORT: string }) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['--conditions=mailhatch-source', join(EXAMPLE, 'receiver.js')], {
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
  await vi.waitUntil(() => output.join('').includes('listening'))
  return { printed: () => output.join('').split('\n').slice(1, -1) }
}

test('the example receiver prints the mail of an event', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hook`
  const server = await startServer({ WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${port}` })
  const { secret } = await webhookClient(server.url, server.apiKey).add({ url })
  const { printed } = await startExample({ WEBHOOK_SECRET: secret, PORT: String(port) })
  await server.sendMail({ from: 'app@shop.example', to: 'qa+42@mailhatch.test', subject: 'Your code is 123456' })
  await vi.waitUntil(() => printed().length > 0)
  expect(printed()).toEqual(['{"mailboxWithTag":"qa+42","from":"app@shop.example","subject":"Your code is 123456"}'])
})

test('the example receiver refuses unsigned requests, and handles each event once', async () => {
  const port = await freePort()
  const { printed } = await startExample({ WEBHOOK_SECRET: SECRET, PORT: String(port) })
  const post = async (id: string, secret: string, ageSeconds = 0) => {
    const body = JSON.stringify({ event: 'email.received', data: { mailboxWithTag: 'qa', from: 'a@b.c', subject: id } })
    const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
    const headers = await signWebhook({ id, body, secrets: [secret], timestamp })
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
  }
  expect(await post('stranger', OTHER_SECRET)).toBe(401)
  expect(await post('old', SECRET, 301)).toBe(401)
  expect(await post('once', SECRET)).toBe(204)
  expect(await post('once', SECRET)).toBe(204)
  expect(await post('last', SECRET)).toBe(204)
  await vi.waitUntil(() => printed().at(-1)?.includes('last'))
  expect(printed().map((line) => JSON.parse(line).subject)).toEqual(['once', 'last'])
})

test('manual verification of a signature accepts ours and no other', async () => {
  const path = join(EXAMPLE, 'verify-by-hand.js')
  // A plain script without types.
  const { isFromMailhatch } = (await import(path)) as {
    isFromMailhatch: (secret: string, body: string, header: string) => boolean
  }
  const body = '{"event":"email.received","data":{"subject":"Grüße"}}'
  const seconds = Math.floor(Date.now() / 1000)
  const sign = async (secrets: string[], timestamp = seconds) =>
    (await signWebhook({ id: 'event', body, secrets, timestamp }))['x-service-signature']!
  expect(isFromMailhatch(SECRET, body, await sign([SECRET]))).toBe(true)
  expect(isFromMailhatch(SECRET, body, await sign([OTHER_SECRET, SECRET]))).toBe(true)
  expect(isFromMailhatch(SECRET, body, await sign([OTHER_SECRET]))).toBe(false)
  expect(isFromMailhatch(SECRET, `${body} `, await sign([SECRET]))).toBe(false)
  expect(isFromMailhatch(SECRET, body, await sign([SECRET], seconds - 302))).toBe(false)
  expect(isFromMailhatch(SECRET, body, '')).toBe(false)
  expect(isFromMailhatch(SECRET, body, 'v1=00,t')).toBe(false)
  // The guide shows the same lines.
  const shown = readFileSync(path, 'utf8').replace(/^\/\*\*.*\n/m, '')
  expect(readFileSync(DOCUMENT, 'utf8')).toContain(shown)
})
