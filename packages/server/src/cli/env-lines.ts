import { shellQuoted } from './shell-quoted.ts'

/** Lines such as `NAME=value`, for `eval` and for files such as $GITHUB_ENV. */
export function envLines(values: Iterable<readonly [name: string, value: string]>): string[] {
  return Array.from(values, ([name, value]) => `${name}=${value === '' ? '' : shellQuoted(value)}`)
}
