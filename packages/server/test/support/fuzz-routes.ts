import { z } from 'zod'
import type { RpcPorts } from '../../src/http/rpc/ports.ts'
import { createRouter } from '../../src/http/rpc/router.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import { OTHER_API_ROUTES } from '../access/other-routes.ts'
import type { JsonSchema } from './fuzz-schema.ts'
import type { ProcedureType } from './procedure.ts'

export type FuzzRoute = {
  method: string
  path: string
  /** The names of its query parameters. */
  parameters: string[]
  /** Of these, the required ones. */
  required: string[]
  /** What its body has to be. */
  body: JsonSchema | null
}

/** Every declared route. */
export const FUZZ_ROUTES: FuzzRoute[] = ROUTES.map(({ method, path, query, body }) => ({
  method: method.toUpperCase(),
  path,
  parameters: Object.keys(query?.shape ?? {}),
  required: (query && schemaOf(query).required) ?? [],
  body: body ? schemaOf('schema' in body ? body.schema : body) : null,
}))

function schemaOf(declared: z.ZodType): JsonSchema {
  // Our type has the parts of JSON Schema that declarations use.
  return z.toJSONSchema(declared, { io: 'input' }) as JsonSchema
}

const NOT_SERVED = ['/assets/x.js', '/v1', '/nope'].map((path) => ({ method: 'GET', path }))

/** What else is served, and what is not. */
export const FUZZ_OTHER_ROUTES: FuzzRoute[] = [...OTHER_API_ROUTES, ...NOT_SERVED].map(({ method, path }) => ({
  method: method === 'ALL' ? 'POST' : method,
  path: path.replaceAll(/:(\w+)/g, '{$1}'),
  parameters: [],
  required: [],
  body: null,
}))

type Schema = { shape?: object; in?: Schema; def?: { innerType?: Schema; in?: Schema; left?: Schema; right?: Schema } }
type Definition = { type: ProcedureType; inputs?: Schema[] }

// Only names, kinds and inputs are used, and no port. The type is nested, the value is flat.
const procedures: object = createRouter({} as RpcPorts)._def.procedures

/** Every procedure of the dashboard, with the names in its input. */
export const FUZZ_PROCEDURES = Object.entries(procedures as Record<string, { _def: Definition }>).map(
  ([path, { _def }]) => ({ path, type: _def.type, names: (_def.inputs ?? []).flatMap(namesIn) }),
)

/** Through defaults, transformations and intersections. */
function namesIn(schema: Schema): string[] {
  if (schema.shape) return Object.keys(schema.shape)
  const { innerType, in: given, left, right } = schema.def ?? {}
  return [innerType, given, left, right].flatMap((inner) => (inner ? namesIn(inner) : []))
}
