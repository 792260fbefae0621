import type { ApiDocument, DocumentedOperation, JsonSchema } from './openapi-document.ts'

/** A value that matches the schema, built from its examples. */
export function sampleOf(document: ApiDocument, schema: JsonSchema): unknown {
  const { $ref, examples, anyOf, allOf, properties, items } = schema
  if ($ref !== undefined) return sampleOf(document, named(document, $ref))
  if (examples !== undefined) return examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = anyOf ?? allOf ?? []
  if (first) return sampleOf(document, asSchema(first))
  if (properties) {
    const required = Object.entries(properties).filter(([name]) => schema.required?.includes(name))
    return Object.fromEntries(required.map(([name, property]) => [name, sampleOf(document, asSchema(property))]))
  }
  if (items) return [sampleOf(document, asSchema(items))]
  return { boolean: true, integer: 0, number: 0, string: '…' }[String(schema.type)] ?? {}
}

type Call = { method: string; path: string; operation: DocumentedOperation }

/** A curl command that calls the operation. */
export function curlOf(document: ApiDocument, baseUrl: string, { method, path, operation }: Call): string {
  const { parameters, requestBody, security, 'x-example-query': query } = operation
  const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const url = `${baseUrl}${filled}${query === undefined ? '' : `?${query}`}`
  const lines = [`curl${flagsFor(operation)}${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${url}"`]
  const [scheme] = Object.keys(security[0] ?? {})
  if (scheme !== undefined)
    lines.push(`-H "Authorization: Bearer $${scheme === 'apiKey' ? 'API_KEY' : 'WEBHOOK_SECRET'}"`)
  if (requestBody) {
    const body = JSON.stringify(sampleOf(document, requestBody.content['application/json']!.schema))
    lines.push('-H "Content-Type: application/json"', `-d '${body.replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

export function named(document: ApiDocument, reference: string): JsonSchema {
  return document.components.schemas[nameIn(reference)] ?? {}
}

export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** JSON Schema allows `true` and `false` as schemas. The document has none. */
export function asSchema(schema: JsonSchema | boolean | (JsonSchema | boolean)[]): JsonSchema {
  return typeof schema === 'object' && !Array.isArray(schema) ? schema : {}
}

/** Streams are not buffered, and downloads are saved under their own name. */
function flagsFor({ responses }: DocumentedOperation): string {
  const success = responses['200']
  if (!success || !('content' in success)) return ''
  if ('text/event-stream' in success.content) return ' -N'
  return 'Content-Disposition' in success.headers ? ' -OJ' : ''
}
