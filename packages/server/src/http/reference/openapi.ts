import type { ErrorBody } from '@mailhatch/sdk'
import { packageVersion } from '../package-version.ts'
import { ACCESS, scopesFor, type Access } from '../routes/access.ts'
import { TAGS, type Answer, type HeaderName, type Route } from '../routes/route.ts'
import {
  COMMON_ERRORS,
  COMMON_WRITE_ERRORS,
  commonErrorsOf,
  explain,
  failuresOf,
  type ExplainedFailure,
} from './failures.ts'
import type {
  ApiDocument,
  DocumentedHeader,
  DocumentedMedia,
  DocumentedOperation,
  DocumentedParameter,
  DocumentedResponse,
  Reference,
} from './openapi-document.ts'
import { bodyNames, describeAnswers, describeBodies, describeQuery, refer } from './openapi-schemas.ts'

const JSON_TYPE = 'application/json'

const INTRODUCTION =
  'Receives the mail that your app sends and hands it to the test that waits for it.\n\n' +
  'Requests to `/v1` need the header `Authorization: Bearer <API key>`. A success is `{"data": …}`. Every error is `{"error", "code", "requestId"}`, sometimes with `details`. Every response has an `X-Request-Id`. The order of checks is key (401), rate limit (429), validation (400), scope (403).\n\n' +
  'An unescaped `+` in a query arrives as a space. In `mailbox`, a space counts as `+`. In `to`, `from` and `q`, a space before the `@` matches both.'

const SECURITY: ApiDocument['components']['securitySchemes'] = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of a team. Scopes: `api.full` allows everything, `email.full` reading the team’s messages, `email.mailbox` reading the messages of one mailbox.',
  },
  webhookSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The server’s `INBOX_WEBHOOK_SECRET`, for `/webhooks/inbox` only.',
  },
}

const LIMIT_HEADERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const HEADERS: Record<HeaderName, DocumentedHeader> = {
  'X-Request-Id': header('Identifies the request in the server’s log.', { isAlways: true }),
  'X-RateLimit-Limit': header('Requests per minute that the team may send, if requests are limited.', {
    isNumber: true,
  }),
  'X-RateLimit-Remaining': header('How many requests are left in this minute.', { isNumber: true }),
  'X-RateLimit-Reset': header('When the limit resets, in Unix seconds.', { isNumber: true }),
  'Retry-After': header('Seconds after which to retry.', { isNumber: true, isAlways: true }),
  'Content-Disposition': header('Always `attachment`, with a file name.', { isAlways: true }),
}

const METHODS = ['get', 'post', 'patch', 'delete']

/** Builds the OpenAPI 3.1 document from the routes and their schemas. */
export function describeApi(routes: Route[], baseUrl: string | null): ApiDocument {
  const { named, schemaOf } = describeAnswers(routes)
  const bodies = bodyNames(routes)
  const paths: ApiDocument['paths'] = {}
  for (const route of routes.toSorted(inOrder)) {
    const described = describe(route, { schemaOf, bodyName: bodies.get(route) })
    paths[route.path] = { ...paths[route.path], [route.method]: described }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Mailhatch',
      version: packageVersion(),
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl ?? '/' }],
    tags: [...TAGS],
    paths,
    components: {
      schemas: { ...named, ...describeBodies(routes) },
      headers: HEADERS,
      responses: commonResponses(),
      securitySchemes: SECURITY,
    },
  }
}

/** By tag, path and method. A literal path comes before one with a parameter in that position. */
function inOrder(one: Route, other: Route): number {
  const tagOf = ({ tag }: Route) => TAGS.findIndex(({ name }) => name === tag)
  return (
    tagOf(one) - tagOf(other) ||
    Number(one.path > other.path) - Number(one.path < other.path) ||
    METHODS.indexOf(one.method) - METHODS.indexOf(other.method)
  )
}

/** One alternative per scope, because one scope is enough. */
function securityOf(access: Access): DocumentedOperation['security'] {
  if (ACCESS[access].needs === 'webhook secret') return [{ webhookSecret: [] }]
  return (scopesFor(access) ?? []).map((scope) => ({ apiKey: [scope] }))
}

function commonResponses(): ApiDocument['components']['responses'] {
  const codes = [...COMMON_ERRORS, ...COMMON_WRITE_ERRORS]
  return Object.fromEntries(codes.map((code) => [code, describeFailure([explain(code)], LIMIT_HEADERS)]))
}

type SchemaOf = ReturnType<typeof describeAnswers>['schemaOf']

function describe(
  route: Route,
  { schemaOf, bodyName }: { schemaOf: SchemaOf; bodyName: string | undefined },
): DocumentedOperation {
  const { id, tag, summary, description, access, exampleQuery, query } = route
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(access),
    parameters: [...plainParameters(route), ...(query ? describeQuery(query) : [])],
    ...(bodyName && { requestBody: { required: true, content: { [JSON_TYPE]: { schema: refer(bodyName) } } } }),
    responses: describeResponses(route, schemaOf),
    ...(exampleQuery && { 'x-example-query': exampleQuery }),
  }
}

function plainParameters({ params = {}, headers = {} }: Route): DocumentedParameter[] {
  const describeAs =
    (place: 'path' | 'header') =>
    ([name, { description, pattern, example }]: [
      string,
      { description: string; pattern?: string; example: string },
    ]): DocumentedParameter => ({
      name,
      in: place,
      required: place === 'path',
      description,
      schema: { type: 'string', ...(pattern && { pattern }) },
      example,
    })
  return [...Object.entries(params).map(describeAs('path')), ...Object.entries(headers).map(describeAs('header'))]
}

function describeResponses(route: Route, schemaOf: SchemaOf): DocumentedOperation['responses'] {
  const limitHeaders = scopesFor(route.access) ? LIMIT_HEADERS : []
  const responses: DocumentedOperation['responses'] = {}
  for (const [status, answer] of Object.entries(route.answers)) {
    responses[status] = describeAnswer(answer, limitHeaders, schemaOf)
  }
  for (const [status, failures] of Map.groupBy(failuresOf(route), ({ status }) => status)) {
    // Without a valid key there is no team whose requests are counted.
    responses[status] = describeFailure(failures, status === 401 ? [] : limitHeaders)
  }
  for (const code of commonErrorsOf(route))
    responses[explain(code).status] ??= { $ref: `#/components/responses/${code}` }
  return responses
}

function describeAnswer(answer: Answer, limitHeaders: HeaderName[], schemaOf: SchemaOf): DocumentedResponse {
  const { description, contentType, schema, example, headers = [] } = answer
  const media: DocumentedMedia = { schema: schema ? schemaOf(schema) : { type: 'string' } }
  if (example !== undefined) media.example = example
  return {
    description,
    headers: headerReferences(['X-Request-Id', ...limitHeaders, ...headers]),
    // In OpenAPI 3.1, binary content has a content type but no schema.
    content: { [contentType]: schema || contentType.startsWith('text/') ? media : { schema: {} } },
  }
}

function describeFailure(failures: ExplainedFailure[], limitHeaders: HeaderName[]): DocumentedResponse {
  const isRetryable = failures.some(({ status }) => status === 429 || status === 503)
  const codes = failures.map(({ code }) => code)
  return {
    description: failures.map(({ code, when }) => `\`${code}\`: ${when}`).join('; '),
    headers: headerReferences(['X-Request-Id', ...limitHeaders, ...(isRetryable ? (['Retry-After'] as const) : [])]),
    content: {
      [JSON_TYPE]: {
        schema: {
          allOf: [refer('Error'), { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
        },
        examples: Object.fromEntries(failures.map((failure) => [failure.code, describeExample(failure)])),
      },
    },
  }
}

function describeExample({ code, sentence, when, details }: ExplainedFailure): { summary: string; value: ErrorBody } {
  return { summary: when, value: { error: sentence, code, requestId: 'q3JzX1f8-1c', ...(details && { details }) } }
}

function headerReferences(names: HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function header(description: string, { isNumber = false, isAlways = false }): DocumentedHeader {
  return { description, required: isAlways, schema: { type: isNumber ? 'integer' : 'string' } }
}
