import { readFileSync } from 'node:fs'

export function packageVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  // Our own package.json has a version.
  return (JSON.parse(file) as { version: string }).version
}
