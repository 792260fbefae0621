import { describe, expect, test } from 'vitest'
import { HttpError, publishedClient, refusalOf, type PublishedClient } from './support/published-client.ts'
import { runForJson } from './support/program.ts'
import { startServer } from './support/server.ts'

const LIMIT_REACHED = { status: 403, error: 'Mailbox limit reached for this plan.', code: 'mailbox_limit' }
const SLOW_DOWN = { status: 429, error: 'Rate limit exceeded. Please slow down.', code: 'rate_limited' }

async function start(environment: Record<string, string>, now: () => number = Date.now) {
  const { url, apiKey, dataDir } = await startServer(environment, now)
  return {
    client: publishedClient({ baseUrl: url, apiKey }),
    baseUrl: url,
    command: <Printed>(...words: string[]) => runForJson<Printed>([...words, '--json'], { DATA_DIR: dataDir }),
  }
}

describe('the mailboxes of a plan', () => {
  test.each([
    ['starter', 1],
    ['pro', 20],
  ])('%s: %i, even if forty are created at once', async (plan, limit) => {
    const { client } = await start({ DEFAULT_PLAN: plan, BOOTSTRAP_DOMAIN: '' })
    const names = Array.from({ length: 40 }, (_, number) => `box-${number}`)
    const results = await Promise.allSettled(names.map((name) => client.createMailbox(name)))
    const mailboxes = await client.listMailboxes()
    expect(mailboxes).toHaveLength(limit)
    const refused = results.filter((result) => result.status === 'rejected')
    for (const { reason } of refused) expect(await refusalOf(Promise.reject(reason as Error))).toEqual(LIMIT_REACHED)
    // The first start may have created a mailbox.
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []))
    expect(mailboxes.map(({ id }) => id)).toEqual(expect.arrayContaining(made))

    const [existing] = mailboxes
    expect((await client.createMailbox(existing!.name)).id).toBe(existing!.id)
    expect(await refusalOf(client.createMailbox('one-more'))).toEqual(LIMIT_REACHED)
    await client.renameMailbox(existing!.id, 'renamed')
    await client.deleteMailbox(existing!.id)
    expect((await client.createMailbox('one-more')).name).toBe('one-more')
    expect(await refusalOf(client.createMailbox('and-another'))).toEqual(LIMIT_REACHED)
  })

  test('enterprise: no limit', async () => {
    const { client } = await start({ DEFAULT_PLAN: 'enterprise' })
    const names = Array.from({ length: 25 }, (_, number) => `box-${number}`)
    await Promise.all(names.map((name) => client.createMailbox(name)))
    expect((await client.listMailboxes()).length).toBeGreaterThanOrEqual(25)
  })
})

describe('RATE_LIMIT=on', () => {
  /** Two minutes' worth and one, in case a minute ends meanwhile. */
  const REQUESTS_MAX = 121

  async function untilRefused(client: PublishedClient) {
    const answers: Response[] = []
    for (let number = 1; number <= REQUESTS_MAX; number += 1) {
      try {
        answers.push(await client.send('GET', '/v1/messages'))
      } catch (error) {
        if (error instanceof HttpError) return { answers, refused: error }
        throw error
      }
    }
    return expect.unreachable('the limit never came')
  }

  test('starter: 60 a minute, counted down in headers, then 429 with Retry-After', async () => {
    const { client, baseUrl } = await start({ DEFAULT_PLAN: 'starter', RATE_LIMIT: 'on' })
    const { answers, refused } = await untilRefused(client)
    expect(answers.length).toBeGreaterThanOrEqual(60)
    const nowSeconds = Date.now() / 1_000
    let previous = { remaining: 60, reset: 0 }
    for (const { headers } of answers) {
      expect(headers.get('x-ratelimit-limit')).toBe('60')
      const remaining = Number(headers.get('x-ratelimit-remaining'))
      const reset = Number(headers.get('x-ratelimit-reset'))
      expect(Number.isInteger(reset)).toBe(true)
      expect(Math.abs(reset - nowSeconds)).toBeLessThanOrEqual(61)
      expect(remaining).toBe(reset === previous.reset ? previous.remaining - 1 : 59)
      previous = { remaining, reset }
    }
    expect(previous.remaining).toBe(0)

    expect(await refusalOf(Promise.reject(refused))).toEqual(SLOW_DOWN)
    const { headers } = refused.response
    expect(headers.get('x-ratelimit-limit')).toBe('60')
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
  })

  test('the key is checked before the limit, the parameters after it; other teams are not affected', async () => {
    // The minute does not end between the limit and the next requests.
    const at = Date.now()
    const { client, baseUrl, command } = await start({ DEFAULT_PLAN: 'starter', RATE_LIMIT: 'on' }, () => at)
    await command('teams', 'create', 'Neighbour')
    const { key } = await command<{ key: string }>('keys', 'create', '--team', 'Neighbour')
    await untilRefused(client)
    const stranger = publishedClient({ baseUrl, apiKey: 'no-key-of-anybody-at-all' })
    expect((await refusalOf(stranger.list())).status).toBe(401)
    expect(await refusalOf(client.list('limit=0'))).toEqual(SLOW_DOWN)
    expect(await refusalOf(client.createMailbox(5))).toEqual(SLOW_DOWN)
    expect(await publishedClient({ baseUrl, apiKey: key }).list()).toMatchObject({ data: [] })
  })
})

test('without RATE_LIMIT the all-in-one program does not count', async () => {
  const { client } = await start({ DEFAULT_PLAN: 'starter' })
  for (let number = 1; number <= 70; number += 1) expect((await client.list()).data).toEqual([])
})
