import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verifyWebhook } from '@mailhatch/sdk'
import { expect, test, vi } from 'vitest'
import { store } from './support/announce.ts'
import { API_KEY, startChild } from './support/child-server.ts'
import { runToExit } from './support/in-process.ts'
import { allStored, SECRET_KEY } from './support/journey-database.ts'
import { run } from './support/program.ts'
import { serveIn, temporaryFolder } from './support/server.ts'
import { webhookClient } from './support/webhook-client.ts'
import { startWebhookReceiver, type ReceivedWebhook } from './support/webhook-receiver.ts'

function verify({ body, headers }: ReceivedWebhook, secret: string) {
  // Our headers have a single value in Node.
  return verifyWebhook({ secret, body, headers: new Headers(headers as Record<string, string>) })
}

/** The secret, and the encodings in which it could leak. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return [secret, bytes.toString('base64'), bytes.toString('hex'), bytes.toString('latin1'), encodeURIComponent(secret)]
}

test('contract: after its creation a secret is in no response, log or row, and still signs after a restart', async () => {
  const dataDir = temporaryFolder()
  const receiver = await startWebhookReceiver(({ path }) => ({ status: path === '/well' ? 200 : 500 }))
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: 'debug', WEBHOOK_ALLOWED_HOSTS: receiver.host }
  const first = await startChild({ environment })
  const webhooks = webhookClient(first.apiUrl, API_KEY)
  const { endpoint, secret } = await webhooks.add({ url: `${receiver.url}/well` })
  const { endpoint: troubled, secret: troubledSecret } = await webhooks.add({ url: `${receiver.url}/troubled` })
  const { secret: newSecret } = await webhooks.rotate(endpoint.id)
  const secrets = [secret, troubledSecret, newSecret]
  expect(new Set(secrets).size).toBe(3)
  await store(first.apiUrl)
  await vi.waitUntil(() => receiver.received.length >= 2)

  const answers: unknown[] = [await webhooks.list(), await webhooks.change(troubled.id, { active: true })]
  for (const { id } of [endpoint, troubled]) {
    await vi.waitUntil(async () => (await webhooks.deliveries(id))[0]!.attempt >= 1)
    answers.push(await webhooks.deliveries(id), await webhooks.test(id))
    const [delivery] = await webhooks.deliveries(id)
    answers.push(await webhooks.replay(id, delivery!.id))
  }
  await first.stop()

  const shown = { answers: JSON.stringify(answers), log: first.complaints() }
  const stored = await allStored(dataDir)
  const places = [...Object.entries(shown), ...stored.map(({ name, content }) => [name, content] as const)]
  const holding = (text: string) => places.filter(([, content]) => content.includes(text)).map(([name]) => name)
  for (const form of secrets.flatMap(formsOf)) expect(holding(form)).toEqual([])
  // Control: public values are found in all three kinds of places.
  expect(holding(troubled.id)).toEqual(expect.arrayContaining(['answers', 'log']))
  expect(shown.answers).toContain(troubled.secretMasked)
  expect(stored.filter(({ content }) => content.includes(troubled.id))).not.toEqual([])

  const count = receiver.received.length
  const second = await startChild({ environment })
  await store(second.apiUrl, { mailbox: 'later' })
  const later = await vi.waitUntil(() =>
    receiver.received.slice(count).find(({ path, body }) => path === '/well' && body.includes('later')),
  )
  expect((await verify(later, newSecret)).data.mailbox).toBe('later')
  await verify(later, secret)
})

test('the encryption key is created once, readable only by its owner', async () => {
  const dataDir = temporaryFolder()
  // Empty means unset.
  const environment = { MAILHATCH_SECRET_KEY: '', INBOX_WEBHOOK_SECRET: '' }
  const keys = []
  for (let start = 0; start < 2; start++) {
    await (await serveIn(dataDir, environment)).close()
    keys.push(readFileSync(join(dataDir, 'secrets.json'), 'utf8'))
  }
  expect(keys[0]).toBe(keys[1])
  const { secretKey, webhookSecret } = JSON.parse(keys[0]!)
  expect(secretKey).toMatch(/^[\w-]{43}$/)
  expect(webhookSecret).toMatch(/^[\w-]{43}$/)
  expect(secretKey).not.toBe(webhookSecret)
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test.each(['api', 'serve'])('on PostgreSQL, %s does not start without a shared key', async (program) => {
  const environment = { MAILHATCH_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none', DATA_DIR: temporaryFolder() }
  const { code, stderr } = await runToExit([program], environment)
  expect(code).toBe(78)
  expect(stderr).toContain('SECRET_KEY: is required with DATABASE_URL')
  // Control: with a key, the start gets as far as the database.
  const other = await run([program], { ...environment, MAILHATCH_SECRET_KEY: SECRET_KEY })
  expect(other.code).not.toBe(78)
  expect(other.stderr).toContain('PostgreSQL at 127.0.0.1:9 cannot be used')
})

test('all invalid webhook settings are reported together, without the key', async () => {
  const { code, stderr } = await runToExit(['api'], {
    DATA_DIR: temporaryFolder(),
    SECRET_KEY: 'too-short',
    WEBHOOK_ALLOWED_HOSTS: 'https://shop.example',
    WEBHOOK_RETRY_DELAYS: '5,soon',
  })
  expect(code).toBe(78)
  expect(stderr).toContain('SECRET_KEY=(hidden): must have at least 32 characters')
  expect(stderr).toContain('WEBHOOK_ALLOWED_HOSTS="https://shop.example": must be a comma-separated list')
  expect(stderr).toContain('WEBHOOK_RETRY_DELAYS="5,soon": must be 1 to 50 delays in seconds')
  expect(stderr).not.toContain('too-short')
})
