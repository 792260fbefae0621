import type { Context } from 'hono'
import { z } from 'zod'
import type { Principal } from '../../domain/access.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import type { ApiEnvironment } from '../environment.ts'
import type { Access, KeyAccess } from './access.ts'
import type { RoutePorts } from './ports.ts'

export const TAGS = [
  { name: 'Messages', description: 'Read, wait for and delete messages.' },
  { name: 'Mailboxes', description: 'Names that receive mail.' },
  { name: 'Scenarios', description: 'Delays and refusals for the mail to an address.' },
  { name: 'Webhooks', description: 'URLs that receive an event for each new message.' },
  { name: 'Keys', description: 'The calling API key.' },
  { name: 'Inbound', description: 'How mail arrives, and why some does not.' },
  { name: 'Server', description: 'Health and documentation of the server.' },
] as const

export type Tag = (typeof TAGS)[number]['name']

/** An error code, and what differs for this route. */
export type DeclaredFailure =
  | ErrorCode
  | { code: ErrorCode; status?: number; sentence?: string; details?: Record<string, string[]> }

export type HeaderName =
  | 'X-Request-Id'
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'
  | 'X-RateLimit-Reset'
  | 'Retry-After'
  | 'Content-Disposition'

export type Answer = {
  description: string
  contentType: string
  /** Missing if the response is not JSON. */
  schema?: z.ZodType
  headers?: HeaderName[]
  example?: string
}

type SuccessStatus = 200 | 201 | 202
export type Answers = { [Status in SuccessStatus | 503]?: Answer }

/** A parameter in the path. `read` throws the 404 for a value that is not valid. */
export type PathParameter<Value = unknown> = { description: string; example: string; read: (text: string) => Value }

/** A request header that the route reads. `read` throws the 400 for a value that is not valid. */
export type HeaderParameter<Value = unknown> = {
  description: string
  example: string
  pattern?: string
  read: (text: string | undefined) => Value
}

/** A body with its own parser. By default, it is JSON of at most 256 KiB and has to match the schema, or else 400. */
export type OwnBody<Value = unknown> = { schema: z.ZodType; read: (request: Request) => Promise<Value> }

export type RequestBody = z.ZodType | OwnBody

/** The parsed request. `search` is the query before parsing. */
type Given<Query, Headers, Sent> = {
  query: Query extends z.ZodObject ? z.output<Query> : undefined
  headers: ReadBy<Headers>
  body: Sent extends OwnBody<infer Value> ? Value : Sent extends z.ZodType ? z.output<Sent> : undefined
  search: URLSearchParams
}

type ReadBy<Parameters> = {
  [Name in keyof Parameters]: Parameters[Name] extends { read: (text: never) => infer Value } ? Value : never
}

type BodyOf<Answered> = {
  [Status in keyof Answered & SuccessStatus]: Answered[Status] extends { schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : never
}[keyof Answered & SuccessStatus]

type Declaration<Allowed extends Access, Params, Query, Headers, Sent, Answered, Input> = {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** In OpenAPI notation: `/v1/messages/{id}`. */
  path: `/${string}`
  access: Allowed
  tag: Tag
  summary: string
  description: string
  params?: Params
  query?: Query
  /** A typical query, for the reference page. */
  exampleQuery?: string
  headers?: Headers
  body?: Sent
  answers: Answered
  /** In addition to the errors that follow from access, method and query. */
  errors: DeclaredFailure[]
  /** Checks and converts what the schemas cannot. Runs before the scope check. The result is `input`. */
  validate?(ports: RoutePorts, given: Given<Query, Headers, Sent>): Input
  /** Returns the JSON body of its success, or a complete response. */
  handle(
    ports: RoutePorts,
    request: Given<Query, Headers, Sent> & {
      principal: Allowed extends KeyAccess ? Principal : null
      params: ReadBy<Params>
      input: Input
      context: Context<ApiEnvironment>
    },
  ): Promise<BodyOf<Answered> | Response> | BodyOf<Answered> | Response
}

/** What a file of routes exports. The name of the export is the id of the operation. */
export type DeclaredRoute = Omit<
  Declaration<
    Access,
    Record<string, PathParameter>,
    z.ZodObject,
    Record<string, HeaderParameter>,
    RequestBody,
    Answers,
    unknown
  >,
  'validate' | 'handle'
> & {
  validate?(ports: RoutePorts, given: object): unknown
  handle(ports: RoutePorts, request: object): unknown
}

/** One REST operation. Its checks, its documentation and its rows in the matrix test are derived from it. */
export type Route = DeclaredRoute & { id: string }

/** Declares a route. The types of the handler are inferred from the schemas. */
export function route<
  const Allowed extends Access,
  Answered extends Answers,
  Params extends Record<string, PathParameter> = Record<string, never>,
  Query extends z.ZodObject | undefined = undefined,
  Headers extends Record<string, HeaderParameter> = Record<string, never>,
  Sent extends RequestBody | undefined = undefined,
  Input = undefined,
>(declared: Declaration<Allowed, Params, Query, Headers, Sent, Answered, Input>): DeclaredRoute {
  return declared
}

/** A success with a JSON body. */
export function json<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, contentType: 'application/json', schema }
}

/** The usual success: `{"data": …}`. */
export function data<Schema extends z.ZodType>(description: string, schema: Schema) {
  return json(description, z.strictObject({ data: schema }))
}
