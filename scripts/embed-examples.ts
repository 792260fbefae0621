import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

const root = new URL('../', import.meta.url)

/** A comment that names an example's file, and the block of code below it. */
const EMBEDDED = /<!-- (examples\/\S+) -->\n```[^]*?\n```\n/g

/** The page with the files of examples as they are now, each below the comment that names it. */
export function withExamples(page: string): string {
  return page.replaceAll(EMBEDDED, (_, path: string) => {
    const content = readFileSync(new URL(path, root), 'utf8')
    return `<!-- ${path} -->\n\`\`\`${extname(path).slice(1)}\n${content}\`\`\`\n`
  })
}
