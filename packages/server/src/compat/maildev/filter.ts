import { AppError } from '../../domain/errors.ts'

/** MailDev's own limit is that of the URL. Each filter may be compared with every message. */
const FILTERS_MAX = 50

/** A property by its path, such as `from.address`, and the values that the query gives for it. */
export type Filter = { path: string[]; values: string[] }

/** The filters in a query: all parameters but those with a meaning of their own. */
export function parseFilters(query: URLSearchParams, besides: string[]): Filter[] {
  const names = Array.from(new Set(query.keys())).filter((name) => !besides.includes(name))
  if (names.length > FILTERS_MAX) throw new AppError('validation_failed', `A list has at most ${FILTERS_MAX} filters.`)
  return names.map((name) => ({ path: name.split('.'), values: query.getAll(name) }))
}

/** How a value is compared: in version 2 only texts can be equal, in version 3 also numbers and flags. */
export type IsSame = (found: unknown, wanted: string) => boolean

/** Like MailDev, finds nothing if a property is given twice. Of a list, one value has to match. */
export function matchesFilter(email: object, { path, values }: Filter, isSame: IsSame): boolean {
  const [wanted, ...others] = values
  return others.length === 0 && valuesAt(email, path).some((found) => isSame(found, wanted!))
}

function valuesAt(value: unknown, path: string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path))
  const [name, ...rest] = path
  if (name === undefined) return [value]
  // Any object has names, and what is inherited is no property of an email.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? valuesAt((value as Record<string, unknown>)[name], rest)
    : []
}
