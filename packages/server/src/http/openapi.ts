import { readFileSync } from 'node:fs'
import type { ErrorBody } from '@mailhatch/sdk'
import type {
  ApiDocument,
  DocumentedHeader,
  DocumentedMedia,
  DocumentedOperation,
  DocumentedParameter,
  DocumentedResponse,
  Reference,
} from './openapi-document.ts'
import { describeAnswers, describeBodies, describeQuery, refer, referToBody } from './openapi-schemas.ts'
import {
  COMMON_ERRORS,
  COMMON_WRITE_ERRORS,
  commonErrorsOf,
  explain,
  refusalsOf,
  type ExplainedRefusal,
} from './operations-errors.ts'
import { OPERATIONS, TAGS, type Access, type HeaderName, type Operation, type Success } from './operations.ts'

const JSON_TYPE = 'application/json'

const INTRODUCTION =
  'Catches the mail your app sends and hands it to the test that waits for it.\n\n' +
  'Requests to `/v1` carry `Authorization: Bearer <API key>`. Success is `{"data": …}`; every failure is `{"error", "code", "requestId"}`, in some cases with `details`. Every answer has an `X-Request-Id`. Checks come in this order: key (401), rate limit (429), validation (400), scope (403).\n\n' +
  'People forget to escape `+`: in `mailbox`, a space reads as `+`; in `to`, `from` and `q` both readings match.'

const SECURITY: ApiDocument['components']['securitySchemes'] = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of a team. Scopes: `api.full` may do everything, `email.full` may read the team’s messages, `email.mailbox` those of one mailbox.',
  },
  webhookSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The server’s `INBOX_WEBHOOK_SECRET`, which opens `/webhooks/inbox` and nothing else.',
  },
}

const SECURITY_OF_ACCESS: Record<Access, DocumentedOperation['security']> = {
  everyone: [],
  'webhook secret': [{ webhookSecret: [] }],
  'reading key': [{ apiKey: ['api.full'] }, { apiKey: ['email.full'] }, { apiKey: ['email.mailbox'] }],
  'full key': [{ apiKey: ['api.full'] }],
}

const LIMIT_HEADERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const HEADERS: Record<HeaderName, DocumentedHeader> = {
  'X-Request-Id': header('Names this request in the server’s log.', { isAlways: true }),
  'X-RateLimit-Limit': header('Requests a minute that the team has, where requests are limited.', { isNumber: true }),
  'X-RateLimit-Remaining': header('How many of them are left.', { isNumber: true }),
  'X-RateLimit-Reset': header('When they are renewed, in Unix seconds.', { isNumber: true }),
  'Retry-After': header('Seconds after which to ask again.', { isNumber: true, isAlways: true }),
  'Content-Disposition': header('Always `attachment`, with a file name.', { isAlways: true }),
}

/** The API as OpenAPI 3.1, made from the schemas that validate and the table of operations. */
export function describeApi(baseUrl: string | null): ApiDocument {
  const answers = OPERATIONS.flatMap(({ success }) => success.flatMap(({ schema }) => schema ?? []))
  const { named, schemaOf } = describeAnswers(answers)
  const paths: ApiDocument['paths'] = {}
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, schemaOf) }
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
      schemas: { ...named, ...describeBodies() },
      headers: HEADERS,
      responses: commonResponses(),
      securitySchemes: SECURITY,
    },
  }
}

function commonResponses(): ApiDocument['components']['responses'] {
  const codes = [...COMMON_ERRORS, ...COMMON_WRITE_ERRORS]
  return Object.fromEntries(codes.map((code) => [code, describeFailure([explain(code)], LIMIT_HEADERS)]))
}

type SchemaOf = ReturnType<typeof describeAnswers>['schemaOf']

function describe(operation: Operation, schemaOf: SchemaOf): DocumentedOperation {
  const { id, tag, summary, description, access, exampleQuery, query, body } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: SECURITY_OF_ACCESS[access],
    parameters: [...plainParameters(operation), ...(query ? describeQuery(query) : [])],
    ...(body && { requestBody: { required: true, content: { [JSON_TYPE]: { schema: referToBody(body) } } } }),
    responses: describeResponses(operation, schemaOf),
    ...(exampleQuery && { 'x-example-query': exampleQuery }),
  }
}

function plainParameters({ pathParameters = {}, headerParameters = {} }: Operation): DocumentedParameter[] {
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
  return [
    ...Object.entries(pathParameters).map(describeAs('path')),
    ...Object.entries(headerParameters).map(describeAs('header')),
  ]
}

function describeResponses(operation: Operation, schemaOf: SchemaOf): DocumentedOperation['responses'] {
  const limitHeaders = operation.path.startsWith('/v1/') ? LIMIT_HEADERS : []
  const responses: DocumentedOperation['responses'] = {}
  for (const success of operation.success) {
    responses[success.status] = describeSuccess(success, limitHeaders, schemaOf)
  }
  for (const [status, refusals] of Map.groupBy(refusalsOf(operation), ({ status }) => status)) {
    // Who is refused for the key has no team whose requests could be counted.
    responses[status] = describeFailure(refusals, status === 401 ? [] : limitHeaders)
  }
  for (const code of commonErrorsOf(operation))
    responses[explain(code).status] ??= { $ref: `#/components/responses/${code}` }
  return responses
}

function describeSuccess(success: Success, limitHeaders: HeaderName[], schemaOf: SchemaOf): DocumentedResponse {
  const { description, contentType, schema, example, headers = [] } = success
  const media: DocumentedMedia = { schema: schema ? schemaOf(schema) : { type: 'string' } }
  if (example !== undefined) media.example = example
  return {
    description,
    headers: headerReferences(['X-Request-Id', ...limitHeaders, ...headers]),
    // Bytes have no schema in OpenAPI 3.1, only a content type.
    content: { [contentType]: schema || contentType.startsWith('text/') ? media : { schema: {} } },
  }
}

function describeFailure(refusals: ExplainedRefusal[], limitHeaders: HeaderName[]): DocumentedResponse {
  const isRetried = refusals.some(({ status }) => status === 429 || status === 503)
  const codes = refusals.map(({ code }) => code)
  return {
    description: refusals.map(({ code, when }) => `\`${code}\`: ${when}`).join('; '),
    headers: headerReferences(['X-Request-Id', ...limitHeaders, ...(isRetried ? (['Retry-After'] as const) : [])]),
    content: {
      [JSON_TYPE]: {
        schema: {
          allOf: [refer('Error'), { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
        },
        examples: Object.fromEntries(refusals.map((refusal) => [refusal.code, describeExample(refusal)])),
      },
    },
  }
}

function describeExample({ code, sentence, when, details }: ExplainedRefusal): { summary: string; value: ErrorBody } {
  return { summary: when, value: { error: sentence, code, requestId: 'q3JzX1f8-1c', ...(details && { details }) } }
}

function headerReferences(names: HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function header(description: string, { isNumber = false, isAlways = false }): DocumentedHeader {
  return { description, required: isAlways, schema: { type: isNumber ? 'integer' : 'string' } }
}

export function packageVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  // Our own file.
  return (JSON.parse(file) as { version: string }).version
}
