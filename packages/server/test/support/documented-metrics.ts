import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './markdown.ts'

/** | `name` | type | `label`: values, `label`: values | … | */
const ROW = /^\| `(mailhatch_\w+)` \| (\w+) \| ([^|]*) \|/gm

/** The rows of the table in docs/operate/monitoring.md, by name. */
export function documentedMetrics(): { name: string; type: string; labels: string[] }[] {
  const page = readFileSync(join(REPOSITORY, 'docs/operate/monitoring.md'), 'utf8')
  return Array.from(page.matchAll(ROW), ([, name, type, labels]) => ({
    name: name!,
    type: type!,
    labels: Array.from(labels!.matchAll(/`(\w+)`:/g), ([, label]) => label!).sort(),
  })).sort((one, other) => (one.name < other.name ? -1 : 1))
}
