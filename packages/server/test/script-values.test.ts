import { describe, expect, test } from 'vitest'
import { runToExit } from './support/in-process.ts'
import { startFileServer } from './support/file-server.ts'

const server = await startFileServer()

const TO = 'qa+values@mailhatch.test'
const ACCEPT = [{ do: 'accept' }]

describe('POST /v1/scenarios says in plain words what is not valid:', () => {
  test.each<[string, object, Record<string, string[]>]>([
    ['unknown keys', { to: TO, steps: ACCEPT, expires_in: 5 }, { body: ['must not have "expires_in"'] }],
    [
      'unknown keys of a step',
      { to: TO, steps: [{ do: 'accept', at: 'data', on: 1 }] },
      { 'steps.0': ['must not have "at" or "on"'] },
    ],
    ['a code', { to: TO, steps: [{ do: 'reject', code: 250 }] }, { 'steps.0.code': ['must be at least 400'] }],
    ['a fraction', { to: TO, steps: [{ do: 'accept', times: 0.5 }] }, { 'steps.0.times': ['must be a whole number'] }],
    ['no steps', { to: TO, steps: [] }, { steps: ['must have at least 1 entry'] }],
    ['a time', { to: TO, steps: ACCEPT, expiresIn: 86_401 }, { expiresIn: ['must be at most 86400'] }],
    [
      'a kind',
      { to: TO, steps: [{ do: 'refuse' }] },
      {
        'steps.0.do': ['must be "accept" or "reject" or "delay" or "greylist" or "limit" or "cut" or "slow"'],
      },
    ],
    ['no address', { to: 'nonsense', steps: ACCEPT }, { to: ['must be an address, such as qa+signup@mailhatch.test'] }],
    [
      'a long name',
      { to: `qa+${'x'.repeat(62)}@mailhatch.test`, steps: ACCEPT },
      { to: ['must have at most 64 bytes before the @'] },
    ],
  ])('%s', async (_, body, details) => {
    const response = await fetch(`${server.url}/v1/scenarios`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'validation_failed', details })
  })

  test('a text that would break the reply', async () => {
    const steps = [{ do: 'reject', code: 550, text: 'a\r\nQUIT', enhanced: 'x' }]
    const response = await fetch(`${server.url}/v1/scenarios`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: TO, steps }),
    })
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).not.toMatch(/Invalid string|\^\[/)
  })
})

describe('the command line', () => {
  const run = (...words: string[]) => runToExit(words, { MAILHATCH_URL: server.url, MAILHATCH_API_KEY: server.apiKey })

  test('names the maximum of a duration', async () => {
    const long = await run('scenario', 'add', TO, 'accept', '--expires-in', '25h')
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('Expected a duration from 1s to 24h.')])
    const quiet = await run('settled', TO, '--quiet', '30s')
    expect([quiet.code, quiet.stderr]).toEqual([2, expect.stringContaining('Expected at most 20s.')])
  })

  test('a scenario for an address without a domain is on that of the team', async () => {
    const added = await run('scenario', 'add', 'qa+c2', 'accept', '--json')
    expect(JSON.parse(added.stdout)).toMatchObject({ to: 'qa+c2@mailhatch.test' })
  })

  test('the help lists the options of steps', async () => {
    const { stdout } = await run('scenario', 'add', '--help')
    for (const option of ['at=data', 'enhanced=', 'text=', 'after=', 'stored', 'x2']) expect(stdout).toContain(option)
  })
})
