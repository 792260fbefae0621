import { z } from 'zod'
import type { RequestBody, Route } from '../routes/route.ts'
import { SHAPES } from '../shapes/shapes.ts'
import type { DocumentedParameter, JsonSchema, Reference } from './openapi-document.ts'

/** The named schemas, and the schema of each response, which refers to them. */
export function describeAnswers(routes: Route[]): {
  named: Record<string, JsonSchema>
  schemaOf: (answer: z.ZodType) => JsonSchema
} {
  const ids = idsOf(SHAPES)
  const answers = routes.flatMap((route) => Object.values(route.answers).flatMap(({ schema }) => schema ?? []))
  for (const answer of answers) if (!ids.has(answer)) ids.set(answer, `answer ${ids.size}`)
  const schemas = toJsonSchemas(ids, 'output')
  return {
    named: Object.fromEntries(Object.keys(SHAPES).map((name) => [name, schemas[name]!])),
    schemaOf(answer) {
      const id = ids.get(answer)!
      return id in SHAPES ? refer(id) : schemas[id]!
    },
  }
}

/** The schemas of request bodies by name. They describe the input before transforms. */
export function describeBodies(routes: Route[]): Record<string, JsonSchema> {
  const names = bodyNames(routes)
  return toJsonSchemas(
    new Map(routes.flatMap((route) => (route.body ? [[schemaIn(route.body), names.get(route)!]] : []))),
    'input',
  )
}

/** The name of the body of each route: the id of its schema, or else derived from the id of the route. */
export function bodyNames(routes: Route[]): Map<Route, string> {
  return new Map(
    routes.flatMap((route) => {
      if (!route.body) return []
      const own = `${route.id.charAt(0).toUpperCase()}${route.id.slice(1)}Body`
      return [[route, schemaIn(route.body).meta()?.id ?? own]]
    }),
  )
}

function schemaIn(body: RequestBody): z.ZodType {
  return 'schema' in body ? body.schema : body
}

export function describeQuery(query: z.ZodObject): DocumentedParameter[] {
  const { properties = {}, required = [] } = tidied(
    z.toJSONSchema(query, { io: 'input', override: (given) => override({ ...given, io: 'input' }) }),
  )
  return Object.entries(properties).map(([name, property]) => {
    // A schema is an object unless it is `true` or `false`, which zod does not create.
    const { description = '', examples: [example] = [], ...schema } = property as JsonSchema
    return { name, in: 'query', required: required.includes(name), description, schema, example }
  })
}

export function refer(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` }
}

function idsOf(schemas: Record<string, z.ZodType>): Map<z.ZodType, string> {
  return new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]))
}

function toJsonSchemas(ids: Map<z.ZodType, string>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of ids) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => refer(id).$ref,
    override: (given) => override({ ...given, io }),
  })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidied(schema)]))
}

/** Removes keywords that the document does not need: OpenAPI 3.1 sets the dialect, and the key of a schema is its id. */
function tidied(schema: JsonSchema): JsonSchema {
  const own = Object.entries(schema).filter(([keyword]) => !['$schema', '$id', 'id'].includes(keyword))
  return Object.fromEntries(own)
}

function override({ jsonSchema, io }: { jsonSchema: JsonSchema; io: 'input' | 'output' }): void {
  // Zod keeps the example of the input of a transform under this name.
  if ('example' in jsonSchema) {
    jsonSchema.examples = [jsonSchema['example']]
    delete jsonSchema['example']
  }
  // The maximum length of the text does not apply to the number.
  if (jsonSchema.type === 'number' || jsonSchema.type === 'integer') delete jsonSchema.maxLength
  // Responses have no larger numbers anyway. In requests, larger numbers are refused.
  if (io === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
