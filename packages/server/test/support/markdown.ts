import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { anchorOf, linksOf, withoutCode, withoutCodeBlocks } from '../../../../site/markdown.ts'

export const REPOSITORY = join(import.meta.dirname, '../../../..')

const NOT_OURS = new Set(['node_modules', '.git', '.mailhatch', '.wrangler', 'dist', 'coverage'])

/** Paths of the repository's own files whose name matches, relative to its root. */
export function repositoryFiles(name: RegExp, folder = REPOSITORY): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return repositoryFiles(name, path)
      return name.test(entry.name) ? [relative(REPOSITORY, path)] : []
    })
}

/** Elements and links that pages use on purpose. Others are placeholders, such as <domain>, of which a reader sees nothing. */
const ELEMENTS = /^<(?:!--|https?:|\/?(?:a|br|img|picture|source)\b)/

/** Words in angle brackets outside of code, which Markdown hides. */
export function hiddenWords(page: string): string[] {
  const found = withoutCode(page).match(/<!--|<\/?[a-z][^>\n]*>/gi) ?? []
  return found.filter((word) => !ELEMENTS.test(word))
}

/** Anchors as GitHub derives them from headings, with numbers for repeats. */
export function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>()
  const headings = Array.from(withoutCodeBlocks(page).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm), ([, heading]) => heading!)
  return new Set(
    headings.map((heading) => {
      const slug = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
      const repeats = seen.get(slug) ?? 0
      seen.set(slug, repeats + 1)
      return repeats === 0 ? slug : `${slug}-${repeats}`
    }),
  )
}

/** Relative links of a page without a target file or heading. `path` is relative to the repository. */
export function brokenLinks(path: string, page: string): string[] {
  return linksOf(page).filter((link) => {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) return false
    const [file = '', anchor] = link.split('#', 2).map((part) => decodeURIComponent(part))
    const target = file === '' ? join(REPOSITORY, path) : resolve(REPOSITORY, dirname(path), file)
    if (file !== '' && !existsSync(target)) return true
    if (anchor === undefined) return false
    if (file !== '' && statSync(target).isDirectory()) return true
    return !anchorsOf(file === '' ? page : readFileSync(target, 'utf8')).has(anchor)
  })
}
