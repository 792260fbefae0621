import type { z } from 'zod'
import { AppError, type ErrorDetails } from '../domain/errors.ts'
import { findClosestName } from '../domain/closest-name.ts'

export function searchParams(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}

/**
 * Parses the query. Empty values count as missing, and unknown names are ignored unless they look like a typo. Only
 * `tags` may be repeated.
 */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const given = valuesOf(query)
  refuseTypos(Object.keys(schema.shape), Array.from(given.keys()))
  const read: Record<string, string | string[]> = {}
  const details: ErrorDetails = {}
  for (const [name, values] of given) {
    if (!Object.hasOwn(schema.shape, name)) continue
    if (name !== 'tags' && values.length > 1) details[name] = ['must not be repeated']
    read[name] = name === 'tags' ? values : values[0]!
  }
  const result = schema.safeParse(read)
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0])
    details[name] = [name in read ? message : 'is required']
  }
  if (details['mailbox']?.[0] === 'Invalid mailbox')
    throw new AppError('mailbox_invalid', 'Invalid mailbox', { details })
  if (!result.success || Object.keys(details).length > 0) refuse(details)
  return result.data
}

export function refuse(details: ErrorDetails): never {
  const [first] = Object.entries(details).map(([name, messages]) => `${name} ${messages[0]}`)
  throw new AppError('validation_failed', `Invalid query: ${first}.`, { details })
}

/** Throws for every other name, also if it looks like none of the schema. */
export function refuseUnknown(schema: z.ZodObject, query: URLSearchParams): void {
  const names = Object.keys(schema.shape)
  for (const name of valuesOf(query).keys()) {
    if (names.includes(name)) continue
    const known = `The parameters are ${names.join(', ')}.`
    const details = { [name]: [`is unknown; ${known[0]!.toLowerCase()}${known.slice(1)}`] }
    throw new AppError('unknown_parameter', `There is no query parameter ${name}. ${known}`, { details })
  }
}

/** The values by name, without empty ones. */
function valuesOf(query: URLSearchParams): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of query) if (value !== '') values.set(name, [...(values.get(name) ?? []), value])
  return values
}

function refuseTypos(parameters: string[], given: string[]): void {
  const missing = parameters.filter((name) => !given.includes(name))
  for (const name of given) {
    const meant = parameters.includes(name) ? null : findClosestName(name, missing)
    if (meant === null) continue
    const details = { [name]: [`is unknown; did you mean ${meant}?`] }
    const message = `There is no query parameter ${name}. Did you mean ${meant}?`
    throw new AppError('unknown_parameter', message, { details })
  }
}
