import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

const root = new URL('../', import.meta.url)

/** A comment with the path of an example file, and the code block below it. */
const EMBEDDED = /<!-- (examples\/\S+) -->\n```[^]*?\n```\n/g

/** Replaces the code blocks of a page by the current example files. */
export function withExamples(page: string): string {
  return page.replaceAll(EMBEDDED, (_, path: string) => {
    const content = readFileSync(new URL(path, root), 'utf8')
    return `<!-- ${path} -->\n\`\`\`${extname(path).slice(1)}\n${content}\`\`\`\n`
  })
}
