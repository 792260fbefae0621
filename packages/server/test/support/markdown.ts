import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

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

/** The page without its code, in which brackets are not links and # is not a heading. */
function withoutCodeBlocks(page: string): string {
  return page.replaceAll(/^( *)(```+|~~~+)[^]*?^\1\2$/gm, '')
}

const LINKS = [
  /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g, // [text](target), ![text](target)
  /^\s*\[[^\]]+\]:\s*(\S+)/gm, // [label]: target
  /<(?:a|img|source)\s[^>]*?(?:href|src|srcset)="([^"]+)"/g,
]

function linksOf(page: string): string[] {
  const text = withoutCodeBlocks(page).replaceAll(/`[^`\n]*`/g, 'code')
  return LINKS.flatMap((link) => Array.from(text.matchAll(link), ([, target]) => target!))
}

/** Anchors as GitHub derives them from headings: lower case, no punctuation, dashes for spaces, numbers for repeats. */
export function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>()
  const headings = Array.from(withoutCodeBlocks(page).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm), ([, heading]) => heading!)
  return new Set(
    headings.map((heading) => {
      const slug = heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
        .replaceAll(' ', '-')
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
