import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { DocumentedOperation, DocumentedResponse } from '../../src/http/reference/openapi-document.ts'
import { describeApi } from '../../src/http/reference/openapi.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import type { Answer } from './ask.ts'

/** The document that the server serves. */
export const apiDocument = describeApi(ROUTES, null)

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true })
// In responses each of these formats has a pattern, which is stricter than the name.
for (const format of ['uuid', 'date-time', 'date']) ajv.addFormat(format, true)
// ajv treats the document as one large schema. Anything else that it does not know is a mistake.
ajv.addVocabulary(Object.keys(apiDocument))
ajv.addSchema(apiDocument, 'document')
const validators = new Map<string, ValidateFunction>()

export type Described = { method: string; path: string; operation: DocumentedOperation }

export const describedOperations: Described[] = Object.entries(apiDocument.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
)

/**
 * Checks a response against the document: status, content type, headers and body must be those of the operation. A request
 * for an unknown path or method is not an operation and is not checked. Returns whether it was.
 */
export function expectDocumented(method: string, url: string, { status, headers, body }: Answer<unknown>): boolean {
  const described = findOperation(method, new URL(url).pathname)
  if (!described) return false
  const asked = `${method} ${described.path} answered ${status}`
  const response = responseOf(described.operation, status)
  expect(response, `${asked}, which is not documented: ${JSON.stringify(body)}`).toBeDefined()
  expectHeaders(asked, response!, headers)
  const type = (headers.get('content-type') ?? '').split(';')[0]!.trim()
  const [documentedType = ''] = Object.keys(response!.content)
  if (documentedType !== '*/*') expect(type, asked).toBe(documentedType)
  // An attachment may be JSON too, but it is not ours.
  if (documentedType !== 'application/json') return true
  const problems = problemsOf(pointerTo(described, status), body)
  expect(problems, `${asked} with ${JSON.stringify(body)?.slice(0, 500)}`).toEqual([])
  return true
}

/** What is wrong with a value according to the schema at this location of the document. */
export function problemsOf(pointer: string, value: unknown): string[] {
  let validate = validators.get(pointer)
  if (!validate) {
    validate = ajv.compile({ $ref: `document${pointer}` })
    validators.set(pointer, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

export function responseOf({ responses }: DocumentedOperation, status: number): DocumentedResponse | undefined {
  const response = responses[status]
  if (!response || 'content' in response) return response
  return apiDocument.components.responses[response.$ref.split('/').at(-1)!]
}

function expectHeaders(asked: string, response: DocumentedResponse, headers: Headers): void {
  for (const [name, { required, schema }] of Object.entries(apiDocument.components.headers)) {
    const value = headers.get(name)
    if (!(name in response.headers)) expect(value, `${asked} with an undocumented ${name}`).toBeNull()
    else if (required) expect(value, `${asked} without ${name}`).not.toBeNull()
    if (value !== null && schema.type === 'integer') expect(value, `${asked} with ${name}`).toMatch(/^\d+$/)
  }
}

/** A literal path has precedence over one with parameters, as in the server, also for methods that it does not have. */
function findOperation(method: string, pathname: string): Described | undefined {
  const fitting = describedOperations
    .filter(({ path }) => fits(path, pathname))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  return fitting.find((described) => described.path === fitting[0]!.path && described.method === method.toLowerCase())
}

function fits(template: string, pathname: string): boolean {
  const segments = pathname.split('/')
  const wanted = template.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => (segment.startsWith('{') ? segments[index] !== '' : segment === segments[index]))
  )
}

/** The schema of a JSON response: in the operation, or in the response that it refers to. */
function pointerTo({ method, path, operation }: Described, status: number): string {
  const response = operation.responses[status]!
  const start = '$ref' in response ? response.$ref : `#/paths/${escaped(path)}/${method}/responses/${status}`
  return `${start}/content/${escaped('application/json')}/schema`
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}
