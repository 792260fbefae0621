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
  format?: string
}

const TEXTS = ['qa', 'fuzz-3', 'x@y.test', 'in.example']
const ITEMS_MAX = 3
/** More than the least that is allowed. Some are milliseconds for which a response is held. */
const NUMBERS_BELOW = 300

/** A value that is valid by its schema, as far as it says what is valid. `newId` makes one for each UUID. */
export function fuzzValue(random: SeededRandom, schema: JsonSchema, newId: () => string): Json {
  return valueOf(schema)

  function valueOf(part: JsonSchema): Json {
    const { $ref, anyOf, oneOf, const: only, enum: some, format, example } = part
    if ($ref !== undefined) return valueOf(schema.$defs![$ref.slice('#/$defs/'.length)]!)
    const several = anyOf ?? oneOf
    if (several) return valueOf(random.pick(several))
    if (only !== undefined) return only
    if (some) return random.pick(some)
    if (format === 'uuid') return newId()
    if (example !== undefined && random.chance(0.8)) return example
    return ofType(part)
  }

  function ofType(part: JsonSchema): Json {
    const { type, minimum = 0, maximum = Infinity, minItems = 0, maxItems = ITEMS_MAX, items = {} } = part
    switch (Array.isArray(type) ? random.pick(type) : type) {
      case 'object':
        return objectOf(part)
      case 'array':
        return Array.from({ length: Math.min(minItems + random.below(ITEMS_MAX), maxItems) }, () => valueOf(items))
      case 'integer':
      case 'number':
        return Math.min(minimum + random.below(NUMBERS_BELOW), maximum)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      default:
        return part.example ?? random.pick(TEXTS)
    }
  }

  function objectOf({ properties = {}, required = [] }: JsonSchema): Json {
    const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.3))
    return Object.fromEntries(chosen.map(([name, part]) => [name, valueOf(part)]))
  }
}
