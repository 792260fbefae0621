/** Lines such as `NAME=value`, for `eval` and for files such as $GITHUB_ENV. */
export function envLines(values: Iterable<readonly [name: string, value: string]>): string[] {
  return Array.from(values, ([name, value]) => `${name}=${quoted(value)}`)
}

/** Quotes only if necessary, because files such as $GITHUB_ENV treat quotes as part of the value. */
function quoted(value: string): string {
  return /^[\w@%+=:,./[\]-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}
