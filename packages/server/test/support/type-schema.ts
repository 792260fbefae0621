import { SymbolFlags, TypeFlags, type Checker, type Type } from 'typescript/unstable/sync'

type Schema = Record<string, unknown>

const PRIMITIVES: [TypeFlags, Schema][] = [
  [TypeFlags.StringLike, { type: 'string' }],
  [TypeFlags.Number, { type: 'number' }],
  [TypeFlags.Boolean, { type: 'boolean' }],
  // Nothing is null in JSON, where it is not a field.
  [TypeFlags.Nullable | TypeFlags.Void, { type: 'null' }],
]

/** The JSON Schema of the JSON of a type. Objects have no other fields than the type has. */
export function typeSchema(checker: Checker, root: Type): Schema {
  // Types may contain themselves.
  const definitions: Record<string, Schema> = {}

  function schemaOf(type: Type): Schema {
    if (type.isLiteralType()) return { const: type.value }
    if (type.isUnionType()) return { anyOf: type.getTypes().map(schemaOf) }
    const primitive = PRIMITIVES.find(([flags]) => type.flags & flags)
    if (primitive) return primitive[1]
    if (checker.isArrayType(type) && type.isTypeReference())
      return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0]!) }
    if (!(type.flags & (TypeFlags.Object | TypeFlags.Intersection)))
      throw new Error(`Cannot check ${checker.typeToString(type)}.`)
    if (!definitions[type.id]) {
      definitions[type.id] = {}
      Object.assign(definitions[type.id]!, objectSchema(type))
    }
    return { $ref: `#/$defs/${type.id}` }
  }

  function objectSchema(type: Type): Schema {
    const fields = checker.getPropertiesOfType(type).map((symbol) => {
      const fieldType = checker.getTypeOfSymbol(symbol)!
      const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0 || mayBeUndefined(fieldType)
      return { name: symbol.name, isOptional, schema: schemaOf(fieldType) }
    })
    const [index] = checker.getIndexInfosOfType(type)
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      additionalProperties: index ? schemaOf(index.valueType) : false,
    }
  }

  return { ...schemaOf(root), $defs: definitions }
}

function mayBeUndefined(type: Type): boolean {
  const all = type.isUnionType() ? type.getTypes() : [type]
  return all.some(({ flags }) => (flags & TypeFlags.Undefined) !== 0)
}
