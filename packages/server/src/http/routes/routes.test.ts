import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createApi } from '../app.ts'
import type { ApiPorts } from '../ports.ts'
import { ROUTES } from './routes.ts'

const SOURCE = join(import.meta.dirname, '../..')

/** Routes of the dashboard, MCP, the payment provider and metrics. They are not operations of the REST API. */
const OTHER_ROUTES = /^\/(?:auth|trpc|app|view|billing|mcp|metrics)(?:\/|$)/

const declared = ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`)

describe('every route is declared once', () => {
  // The test only lists routes and uses no port.
  const ports = {
    keys: {},
    webhooks: {},
    teams: {},
    accounts: {},
    inbound: { webhookSecret: null },
    site: { allowedOrigins: [] },
    observe: {},
  }
  const app = createApi(ports as unknown as ApiPorts)
  const registered = app.routes
    .filter(({ method, path }) => method !== 'ALL' && !OTHER_ROUTES.test(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)

  test('the router has exactly the declared routes', () => {
    expect(declared.length).toBeGreaterThanOrEqual(30)
    expect(registered.toSorted()).toEqual(declared.toSorted())
    expect(new Set(declared).size).toBe(declared.length)
  })

  test('the names in a path match its parameters', () => {
    for (const { path, params = {} } of ROUTES)
      expect(Object.keys(params)).toEqual(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name))
  })

  /** Paths of routes that the code uses, in any notation of parameters. Paths in sentences do not count. */
  function pathsIn(source: string): string[] {
    const texts = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '').matchAll(/(?<=[(,=:[]\s*)['"`](\/[^'"`\s?]*)/g)
    const written = Array.from(texts, ([, text]) => text!.replaceAll(/:\w+|\$\{[^}]*\}/g, '{}'))
    const known = ROUTES.map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}'))
    return written.map((text) => text.replaceAll(/\{\w*\}/g, '{}')).filter((text) => known.includes(text))
  }

  test('no other file of the API repeats a method and path', () => {
    // The worker has its own API. MCP tools and commands are clients of the API.
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !/\.test\.ts$|^(?:worker|mcp|cli)\//.test(file),
    )
    const found = files.flatMap((file) =>
      pathsIn(readFileSync(join(SOURCE, file), 'utf8')).map((path) => ({ file, path })),
    )
    expect(found.filter(({ file }) => !file.startsWith('http/routes/'))).toEqual([])
    const shown = ROUTES.map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(found.map(({ path }) => path).sort()).toEqual(shown.sort())
  })

  test('control: a repeated path is found', () => {
    expect(pathsIn("app.get('/v1/messages/:id', answer)")).toEqual(['/v1/messages/{}'])
    expect(pathsIn('app.get(`/v1/messages/${id}/raw`)')).toEqual(['/v1/messages/{}/raw'])
    expect(pathsIn("path: '/v1/mailboxes/{id}',")).toEqual(['/v1/mailboxes/{}'])
    expect(pathsIn("for (const path of ['/v1/me', '/ready'])")).toEqual(['/v1/me', '/ready'])
    expect(pathsIn("app.get('/v1/nothing')")).toEqual([])
  })
})
