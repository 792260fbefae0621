import { TrieRouter } from 'hono/router/trie-router'
import { expect, test } from 'vitest'
import { createRouter } from './router.ts'

const ROUTES = [
  ['ALL', '*', 'everything'],
  ['GET', '/v1/messages/latest', 'latest'],
  ['ALL', '/v1/messages/latest', 'latest, refused'],
  ['GET', '/v1/messages/:id', 'one'],
  ['POST', '/v1/messages/latest', 'posted'],
  ['ALL', '/v1/*', 'below v1'],
] as const

test('every request has the same handlers and parameters as without a memory, the first time and later', () => {
  const [router, reference] = [createRouter<string>(), new TrieRouter<string>()]
  for (const [method, path, handler] of ROUTES) {
    for (const each of [router, reference]) each.add(method, path, handler)
    for (const asked of ['/v1/messages/latest', '/v1/messages/m1', '/v1/messages/m2', '/v1/messages/%6Catest', '/']) {
      for (const wanted of ['GET', 'POST', 'GET', 'DELETE']) {
        expect(router.match(wanted, asked), `${wanted} ${asked}`).toEqual(reference.match(wanted, asked))
      }
    }
  }
  const [handlers] = router.match('GET', '/v1/messages/latest')
  expect(handlers.map(([handler]) => handler)).toEqual(['everything', 'latest', 'latest, refused', 'one', 'below v1'])
  expect(router.match('GET', '/v1/messages/latest')).toBe(router.match('GET', '/v1/messages/latest'))
})
