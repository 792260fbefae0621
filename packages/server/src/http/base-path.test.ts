import { describe, expect, test } from 'vitest'
import { basePathOf, underBasePath } from './base-path.ts'

test.each([
  ['http://localhost:3003', ''],
  ['https://mail.example/', ''],
  ['https://tools.example/mail', '/mail'],
  ['https://tools.example/test/mail/', '/test/mail'],
])('%s has the base path %j', (appUrl, basePath) => {
  expect(basePathOf(appUrl)).toBe(basePath)
})

describe('a request is served the same with and without the base path', () => {
  const echo = async (request: Request) => Response.json([request.method, request.url, await request.text()])

  async function ask(appUrl: string, url: string, init?: RequestInit): Promise<unknown> {
    return (await underBasePath(echo, appUrl)(new Request(url, init))).json()
  }

  test.each([
    ['http://x/mail/v1/me?q=%2Fmail', 'http://x/v1/me?q=%2Fmail'],
    ['http://x/mail/', 'http://x/'],
    ['http://x/mail', 'http://x/'],
    ['http://x/mail/mail', 'http://x/mail'],
    ['http://x/v1/me', 'http://x/v1/me'],
    ['http://x/mailbox', 'http://x/mailbox'],
    ['http://x/Mail/v1/me', 'http://x/Mail/v1/me'],
  ])('%s is served as %s', async (given, served) => {
    expect(await ask('https://tools.example/mail', given)).toEqual(['GET', served, ''])
  })

  test('method and body stay', async () => {
    const init = { method: 'POST', body: 'all of it' }
    expect(await ask('https://tools.example/mail', 'http://x/mail/trpc', init)).toEqual([
      'POST',
      'http://x/trpc',
      'all of it',
    ])
  })

  test('without a base path nothing changes', async () => {
    expect(await ask('https://tools.example', 'http://x/mail/v1/me')).toEqual(['GET', 'http://x/mail/v1/me', ''])
  })
})
