import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../src/http/reference/openapi-document.ts'
import { isUuid } from '../src/domain/uuid.ts'
import { announcement, store } from './support/announce.ts'
import { apiDocument, describedOperations, type Described } from './support/documented.ts'
import { seededRandom, type SeededRandom } from './support/seeded-random.ts'
import { WEBHOOK_SECRET } from './support/server.ts'

/**
 * Codes with which the server may refuse valid values: the result depends on stored data, or on several values together.
 */
const STATE_CODES = ['cursor_not_found']
const TOGETHER = [
  'cannot be combined',
  'must not be after end',
  'Pass at least one filter',
  'must be longer than quiet',
]
/** Addresses have rules that a pattern cannot say, such as a length in bytes. */
const OF_ADDRESSES = ['must be an address', 'bytes before the @']
/**
 * The server accepts more than a schema can say: URLs with other ports, public addresses and non-ASCII names, and tags as
 * comma-separated lists, which are counted together.
 */
const LENIENT = ['url', 'tags']

const ajv = new Ajv2020({ strict: false, allErrors: false })
ajv.addFormat('uuid', (text: string) => isUuid(text.toLowerCase()))
ajv.addSchema(apiDocument, 'document')

/** Pieces of values, besides those of the examples. */
const PIECES = [
  '', ' ', 'a', 'Z', '0', '9', '-', '+', '.', '_', '@', ':', ',', ';', '/', '\\', '"', '<', '(', '[', '%', '&', '=', '?', '#',
  '\u0000', '\u0001', '\n', '\t', '\u007f', '\u0085', '\u00a0', 'é', 'İ', 'ß', '한', '😀', '\u0301', '\u200b', '\ufeff',
  'c1', 'admin', 'local', 'xn--', '2026-02-30', '2026-01-31', 'T23:59:60Z', 'T12:00:00+02:00', '1e-7', '-0', '60', '201',
  'x'.repeat(63), 'x'.repeat(200), '😀'.repeat(60),
] // prettier-ignore

export type ValuesReport = { valid: number; invalid: number; wrong: string[] }

type Value = { value: unknown; isValid: boolean }

/** Sends valid and invalid values for each parameter and body field of the document to the running server. */
export async function sendValues(
  { url, apiKey }: { url: string; apiKey: string },
  { seed, perValue }: { seed: number; perValue: number },
): Promise<ValuesReport> {
  const random = seededRandom(seed)
  const report: ValuesReport = { valid: 0, invalid: 0, wrong: [] }

  async function send(described: Described, name: string, { value, isValid }: Value, request: Request): Promise<void> {
    report[isValid ? 'valid' : 'invalid']++
    const response = await fetch(request)
    const isStream = response.headers.get('content-type') === 'text/event-stream' && response.ok
    const body = isStream ? '' : await response.text()
    if (isStream) await response.body?.cancel()
    const isRefused = response.status === 400 || response.status === 422
    const isExcused =
      STATE_CODES.some((code) => body.includes(`"${code}"`)) ||
      [...TOGETHER, ...OF_ADDRESSES].some((text) => body.includes(text))
    const isWrong = isValid ? isRefused && !isExcused : !isRefused && response.status < 400 && !LENIENT.includes(name)
    if (!isWrong && response.status < 500) return
    const what = `${described.method} ${described.path} ${name}=${JSON.stringify(value)}`
    report.wrong.push(
      `${what} is ${isValid ? 'valid' : 'not valid'}, answered ${response.status} ${body.slice(0, 200)}`,
    )
  }

  for (const described of describedOperations) {
    // A message matches at once, so that `wait` does not hold the response.
    await store(url)
    const isAnnouncement = described.path === '/webhooks/inbox'
    const authorization = `Bearer ${isAnnouncement ? WEBHOOK_SECRET : apiKey}`
    const path = described.path.replaceAll(/\{\w+\}/g, '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24')
    const method = described.method.toUpperCase()
    // Operations without an end, or that invalidate the key, are skipped.
    if (described.operation.operationId === 'rotateKey') continue
    for (const { name, in: place, schema, example } of described.operation.parameters) {
      if (place === 'path') continue
      for (const value of drawAll(random, { schema, examples: [example], count: perValue, drawOne: draw })) {
        const texts = (Array.isArray(value.value) ? value.value : [value.value]).map(String)
        if (texts.length === 0 || texts.includes('')) continue
        const headers = new Headers({ authorization })
        const given = place === 'query' ? texts.map((text) => [name, text]) : []
        const query = new URLSearchParams([...given, ...requiredBeside(described, name)])
        if (place === 'header' && !/^[\x21-\x7e]+$/.test(texts[0]!)) continue
        if (place === 'header') headers.set(name, texts[0]!)
        if (`${query}`.length > 8_000) continue
        await send(described, name, value, new Request(`${url}${path}?${query}`, { method, headers }))
      }
    }
    const reference = described.operation.requestBody?.content['application/json']?.schema
    if (!reference || !('$ref' in reference)) continue
    const bodyName = String(reference.$ref).split('/').at(-1)!
    const bodySchema = apiDocument.components.schemas[bodyName]!
    for (const [field, schema] of Object.entries(bodySchema.properties ?? {})) {
      const { examples = [] } = schema as JsonSchema
      const drawing = { schema: schema as JsonSchema, examples, count: perValue, drawOne: drawField }
      for (const value of drawAll(random, drawing)) {
        const base = isAnnouncement ? announcement() : exampleOf(bodySchema)
        const body = JSON.stringify({ ...base, [field]: value.value })
        const headers = { authorization, 'content-type': 'application/json' }
        await send(described, field, value, new Request(url + path, { method, headers, body }))
      }
    }
  }
  return report
}

/** The other parameters that a query needs, from their examples. */
function requiredBeside({ operation }: Described, name: string): string[][] {
  const others = operation.parameters.filter((other) => other.in === 'query' && other.required && other.name !== name)
  return others.map((other) => [other.name, String(other.example)])
}

/** The required fields, from their examples. */
function exampleOf({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, (properties[name] as JsonSchema).examples?.[0]]))
}

/** Each validated by the schema itself. */
function drawAll(
  random: SeededRandom,
  {
    schema,
    examples,
    count,
    drawOne,
  }: { schema: JsonSchema; examples: unknown[]; count: number; drawOne: typeof draw },
): Value[] {
  const judge = ajv.compile({ ...schema })
  const drawn = [...examples, ...Array.from({ length: count }, () => drawOne(random, schema, examples))]
  return drawn.map((value) => ({ value, isValid: judge(value) }))
}

function draw(random: SeededRandom, given: JsonSchema, examples: unknown[]): unknown {
  const schema = given.anyOf ? random.pick(given.anyOf) : given
  const { type, items, properties } = schema
  if (schema.enum && random.chance(0.7)) return random.pick(schema.enum)
  if (type === 'null') return null
  if (type === 'integer') return random.pick([-1, 0, 1, 2, 50, 99, 100, 101, 199, 200, 201, 2 ** 31, 2 ** 53, 2 ** 60])
  if (type === 'number') return random.pick([-1, -0.5, 0, 0.001, 1e-7, 60, 60.001, 61, 1e9])
  if (type === 'boolean') return random.pick([true, false, 'yes', 1, null])
  if (type === 'array') {
    const length = random.pick(hasTexts(items) ? [1, 1, 2, 100, 101] : [0, 1, 1, 2])
    const one = hasTexts(items) ? draw : drawField
    return Array.from({ length }, () => one(random, items as JsonSchema, []))
  }
  if (type === 'object') {
    const kept = Object.entries(properties ?? {}).filter(() => random.chance(0.97))
    return Object.fromEntries(kept.map(([name, property]) => [name, drawField(random, property as JsonSchema, [])]))
  }
  return drawText(random, examples.map(String))
}

/** For a body; in a URL everything is text. */
function drawField(random: SeededRandom, schema: JsonSchema, examples: unknown[]): unknown {
  return random.chance(0.05) ? random.pick([null, true, 7, 'text', [], {}]) : draw(random, schema, examples)
}

function hasTexts(items: JsonSchema['items']): boolean {
  return (items as JsonSchema).type === 'string'
}

function drawText(random: SeededRandom, examples: string[]): string {
  let text = random.chance(0.6) && examples.length > 0 ? random.pick(examples) : random.pick(PIECES)
  for (let changes = random.below(4); changes > 0; changes--) text = random.mutated(text, PIECES)
  // Half of a surrogate pair cannot be sent in a URL.
  return text.toWellFormed()
}
