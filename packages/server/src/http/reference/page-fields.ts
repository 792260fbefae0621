import { html } from 'hono/html'
import type { DocumentedParameter, JsonSchema } from './openapi-document.ts'
import { asSchema, nameIn } from './page-sample.ts'

export type Markup = ReturnType<typeof html>

/** Paragraphs, with text in backticks as code. */
export function prose(text: string): Markup[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

export function inline(text: string): (string | Markup)[] {
  return text.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`))
}

export function parameterFields(parameters: DocumentedParameter[]): Markup {
  return html`<ul class="fields">
    ${parameters.map(({ name, description, schema, required, ...parameter }) => {
      const place = parameter.in === 'query' ? '' : parameter.in
      return field({ name, type: typeOf(schema), notes: [place, required ? 'required' : ''], description })
    })}
  </ul>`
}

/** The fields of an object and of its nested objects. */
export function schemaFields(schema: JsonSchema): Markup {
  const { properties = {}, required = [] } = schema
  return html`<ul class="fields">
    ${Object.entries(properties).map(([name, given]) => {
      const property = asSchema(given)
      const { description = '' } = property
      const notes = required.includes(name) ? [] : ['optional']
      const inner = objectWithin(property)
      return field({ name, type: typeOf(property), notes, description, inner: inner && schemaFields(inner) })
    })}
  </ul>`
}

type Field = { name: string; type: Markup; notes: string[]; description: string; inner?: Markup | null }

function field({ name, type, notes, description, inner = null }: Field): Markup {
  return html`<li>
    <span class="field"
      ><code>${name}</code>
      <span class="type">${type}</span>
      ${notes.filter(Boolean).map((note) => html`<span class="note">${note}</span>`)}</span
    >
    ${description === '' ? '' : prose(description)} ${inner ?? ''}
  </li>`
}

/** A readable name of the type. */
export function typeOf(schema: JsonSchema): Markup {
  const { $ref, anyOf, items, format, type } = schema
  if ($ref !== undefined) return html`<a href="#${nameIn($ref)}">${nameIn($ref)}</a>`
  if (anyOf)
    return join(
      anyOf.map((one) => typeOf(asSchema(one))),
      ' or ',
    )
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`
  if (schema.enum)
    return join(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ' ',
    )
  if (items) return html`list of ${typeOf(asSchema(items))}`
  if (Array.isArray(type)) return html`${(type as string[]).join(' or ')}`
  const names: Record<string, string> = { 'date-time': 'time', date: 'day', uuid: 'uuid' }
  const name = names[format ?? ''] ?? type ?? 'any'
  const { minimum, maximum } = schema
  return minimum !== undefined && maximum !== undefined ? html`${name}, ${minimum} to ${maximum}` : html`${name}`
}

function objectWithin(schema: JsonSchema): JsonSchema | null {
  if (schema.properties) return schema
  if (schema.items) return objectWithin(asSchema(schema.items))
  return schema.anyOf?.map((one) => objectWithin(asSchema(one))).find((found) => found !== null) ?? null
}

function join(pieces: Markup[], between: string): Markup {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : html`${between}${piece}`))}`
}
