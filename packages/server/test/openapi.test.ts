import { describe, expect, test } from 'vitest'
import { ERROR_STATUS } from '../src/domain/errors.ts'
import { COMMON_ERRORS } from '../src/http/reference/failures.ts'
import { bodyNames } from '../src/http/reference/openapi-schemas.ts'
import { ROUTES } from '../src/http/routes/routes.ts'
import { ask } from './support/ask.ts'
import { apiDocument, describedOperations, expectDocumented, problemsOf, responseOf } from './support/documented.ts'
import { startFileServer } from './support/file-server.ts'

const server = await startFileServer({ ALLOWED_API_ORIGINS: 'https://app.example' })

/** Every object in a value, with its path. */
function* objectsIn(value: unknown, path = '#'): Generator<{ path: string; object: Record<string, unknown> }> {
  if (typeof value !== 'object' || value === null) return
  // An object has string keys and unknown values.
  yield { path, object: value as Record<string, unknown> }
  for (const [name, inner] of Object.entries(value)) {
    yield* objectsIn(inner, `${path}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
  }
}

function resolve(pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names.reduce<unknown>((value, name) => {
    const key = decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
    return (value as Record<string, unknown> | undefined)?.[key]
  }, apiDocument)
}

const OBJECTS = Array.from(objectsIn(apiDocument))

describe('contract: GET /openapi.json is an OpenAPI 3.1 document', () => {
  test('all tests check responses against it', async () => {
    const { status, body } = await ask<unknown>(`${server.url}/openapi.json`)
    expect(status).toBe(200)
    expect(body).toEqual(JSON.parse(JSON.stringify(apiDocument)))
    expect(apiDocument.openapi).toMatch(/^3\.1\.\d+$/)
    expect(apiDocument.info.version).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('any web page may read it, also one from an allowed origin', async () => {
    for (const origin of ['https://anywhere.example', 'https://app.example']) {
      const { headers } = await ask<unknown>(`${server.url}/openapi.json`, { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const { headers } = await ask<unknown>(`${server.url}/health`, { headers: { origin: 'https://anywhere.example' } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  test('every operation has a unique id', () => {
    const ids = describedOperations.map(({ operation }) => operation.operationId)
    expect(ids.length).toBeGreaterThan(15)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
  })

  test('every operation has a known tag, a summary and a description', () => {
    const tags = apiDocument.tags.map(({ name }) => name)
    for (const { operation } of describedOperations) {
      expect(tags).toEqual(expect.arrayContaining(operation.tags))
      expect(operation.tags).toHaveLength(1)
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
      expect(operation.description).toMatch(/\.$/)
    }
  })

  test('every reference resolves', () => {
    const references = OBJECTS.flatMap(({ object }) => (typeof object['$ref'] === 'string' ? [object['$ref']] : []))
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([])
    expect(resolve('#/components/schemas/Nothing')).toBeUndefined()
  })

  test('every named component is referenced', () => {
    const references = new Set(OBJECTS.map(({ object }) => object['$ref']))
    const { schemas, headers, responses } = apiDocument.components
    const named = Object.entries({ schemas, headers, responses }).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    )
    expect(named.filter((reference) => !references.has(reference))).toEqual([])
  })

  test('path parameters match the path, and are required', () => {
    for (const { path, operation } of describedOperations) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
      const described = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(described.map(({ name }) => name)).toEqual(inPath)
      expect(described.every(({ required }) => required)).toBe(true)
    }
  })

  test('parameters are unique and described', () => {
    for (const { operation } of describedOperations) {
      const names = operation.parameters.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      for (const { name, description } of operation.parameters) expect(description, name).toMatch(/\.$/)
    }
  })

  test('every response has a description, and the success comes first', () => {
    for (const { operation } of describedOperations) {
      const statuses = Object.keys(operation.responses).map(Number)
      expect(statuses[0]).toBeLessThan(300)
      for (const status of statuses) expect(responseOf(operation, status)!.description).not.toBe('')
    }
  })

  test('every used security scheme is described, and every one is used', () => {
    const used = describedOperations.flatMap(({ operation }) => operation.security.flatMap(Object.keys))
    expect(Array.from(new Set(used)).sort()).toEqual(Object.keys(apiDocument.components.securitySchemes).sort())
  })

  test('an error has the status of its code', () => {
    for (const { operation } of describedOperations) {
      for (const status of Object.keys(operation.responses)) {
        const { examples = {} } = responseOf(operation, Number(status))!.content['application/json'] ?? {}
        // Only the announcement is refused with 422 instead of 400.
        for (const code of Object.keys(examples).filter((code) => status !== '422' || code !== 'validation_failed')) {
          expect(ERROR_STATUS[code as keyof typeof ERROR_STATUS], code).toBe(Number(status))
        }
      }
    }
    expect(COMMON_ERRORS.length).toBeGreaterThan(0)
  })

  test('every schema compiles in strict mode', () => {
    const schemas = OBJECTS.filter(({ path }) => path.endsWith('/schema') || /^#\/components\/schemas\/\w+$/.test(path))
    expect(schemas.length).toBeGreaterThan(100)
    for (const { path } of schemas) expect(() => problemsOf(path, null), path).not.toThrow()
  })

  test('every example fits its schema', () => {
    const examples = OBJECTS.filter(({ path }) => !path.includes('/example')).flatMap(({ path, object }) =>
      examplesOf(object).map(({ value, place }) => ({ path: path + place, value })),
    )
    expect(examples.length).toBeGreaterThan(200)
    expect(
      examples.flatMap(({ path, value }) => problemsOf(path, value).map((problem) => `${path} ${problem}`)),
    ).toEqual([])
  })

  test('response objects have no undocumented keys', () => {
    const bodies = Array.from(bodyNames(ROUTES).values())
    const shapes = Object.entries(apiDocument.components.schemas).filter(([name]) => !bodies.includes(name))
    const objects = Array.from(objectsIn(shapes)).filter(({ object }) => 'properties' in object && 'type' in object)
    expect(objects.length).toBeGreaterThan(10)
    expect(objects.filter(({ object }) => object['additionalProperties'] !== false)).toEqual([])
  })
})

describe('control: the check of every test can fail', () => {
  const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': 'r-1' })
  const url = 'http://localhost/v1/me'
  const failure = { error: 'Unauthorized', code: 'unauthorized', requestId: 'r-1' }
  const check = (method: string, given: string, answer: { status: number; headers?: Headers; body: unknown }) => () =>
    expectDocumented(method, given, { headers, ...answer })

  test('control: a documented response passes', () => {
    expect(check('GET', url, { status: 401, body: failure })).not.toThrow()
  })

  const withoutId = new Headers({ 'content-type': 'application/json' })
  const withoutType = new Headers({ 'x-request-id': 'r-1' })
  const withLimit = new Headers([...headers, ['x-ratelimit-limit', '60']])

  test.each<[string, { status: number; headers?: Headers; body: unknown }, string]>([
    ['a status that is not documented', { status: 418, body: failure }, 'not documented'],
    ['a code that is not documented', { status: 401, body: { ...failure, code: 'forbidden' } }, 'GET /v1/me'],
    ['a key too many', { status: 401, body: { ...failure, hint: 'none' } }, 'GET /v1/me'],
    ['a key too few', { status: 401, body: { error: 'No', code: 'unauthorized' } }, 'GET /v1/me'],
    ['no X-Request-Id', { status: 401, headers: withoutId, body: failure }, 'without X-Request-Id'],
    ['a header that is not documented', { status: 401, headers: withLimit, body: failure }, 'X-RateLimit-Limit'],
    ['no content type', { status: 401, headers: withoutType, body: failure }, 'GET /v1/me'],
  ])('%s', (_, answer, complaint) => {
    expect(check('GET', url, answer)).toThrow(complaint)
  })

  test.each([
    ['GET', 'http://localhost/v1/nothing'],
    ['PUT', url],
  ])('unknown operations are not checked: %s %s', (method, given) => {
    expect(check(method, given, { status: 418, body: null })).not.toThrow()
  })
})

/** A schema has a list of examples. A parameter or response has one, or several by name, beside its schema. */
function examplesOf({ examples, example }: Record<string, unknown>): { value: unknown; place: string }[] {
  if (Array.isArray(examples)) return examples.map((value: unknown) => ({ value, place: '' }))
  if (example !== undefined) return [{ value: example, place: '/schema' }]
  const named = Object.values((examples ?? {}) as Record<string, { value: unknown }>)
  return named.map(({ value }) => ({ value, place: '/schema' }))
}
