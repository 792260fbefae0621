import type { SeededRandom } from './seeded-random.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** The parts of JSON Schema that our declarations use. */
export type JsonSchema = {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string | string[]
  const?: Json
  enum?: Json[]
  example?: Json
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

const TEXTS = ['qa', 'fuzz-3', 'x@y.test', 'in.example']
/** More than the least that is allowed. */
const MORE_ITEMS_MAX = 2
/** More than the least that is allowed. Some are milliseconds for which a response is held. */
const MORE_MAX = 300

/** A value that is valid by its schema, as far as it says what is valid. `known` has values by the names of fields. */
export function fuzzValue(random: SeededRandom, schema: JsonSchema, known: Record<string, Json[]>): Json {
  return valueOf(schema)

  function valueOf(part: JsonSchema): Json {
    const { $ref, anyOf, oneOf, const: only, enum: some, example } = part
    if ($ref !== undefined) return valueOf(schema.$defs![$ref.slice('#/$defs/'.length)]!)
    const several = anyOf ?? oneOf
    if (several) return valueOf(random.pick(several))
    if (only !== undefined) return only
    if (some) return random.pick(some)
    // Texts have patterns that only their examples fit.
    if (example !== undefined && (typeof example === 'string' || random.chance(0.8))) return example
    return ofType(part)
  }

  function ofType(part: JsonSchema): Json {
    const { type, minimum = 0, maximum = Infinity, minItems = 0, maxItems = Infinity, items = {} } = part
    switch (Array.isArray(type) ? random.pick(type) : type) {
      case 'object':
        return objectOf(part)
      case 'array': {
        const length = Math.min(minItems + random.below(MORE_ITEMS_MAX + 1), maxItems)
        return Array.from({ length }, () => valueOf(items))
      }
      case 'integer':
      case 'number':
        return Math.min(minimum + random.below(MORE_MAX + 1), maximum)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      default:
        return random.pick(TEXTS)
    }
  }

  function objectOf({ properties = {}, required = [] }: JsonSchema): Json {
    const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.3))
    return Object.fromEntries(
      chosen.map(([name, part]) => [name, known[name] ? random.pick(known[name]) : valueOf(part)]),
    )
  }
}
