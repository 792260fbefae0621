import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linksOf, withLinks, withNames, withoutCodeBlocks } from './markdown.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Where links to files that are no pages lead. */
export const REPOSITORY_URL = 'https://github.com/mailhatch/mailhatch'

/** Every other Markdown file stays in the repository. */
const MARKDOWN = ['*.md', 'docs/**/*.md']
/** The index of the documentation, from which the navigation is made. */
const INDEX = 'docs/README.md'
const IMAGES = 'docs/images'

/** Pages of the site by Markdown file: `docs/guide/ci.md` becomes `guide/ci.md`, `README.md` the first page. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  globSync(MARKDOWN, { cwd: ROOT })
    .toSorted()
    .map((file) => [file, pageOf(file)]),
)

function pageOf(file: string): string {
  if (file === 'README.md') return 'index.md'
  if (file === INDEX) return 'all-pages.md'
  return file.startsWith('docs/') ? file.slice('docs/'.length) : file.toLowerCase()
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** Writes the pages and images into a folder, as VitePress reads them. Throws if a link leads to no file. */
export function writePages(folder: string): void {
  const broken = brokenLinks()
  if (broken.length > 0) throw new Error(broken.join('\n'))
  rmSync(folder, { recursive: true, force: true })
  for (const [file, page] of PAGES) {
    const path = join(folder, page)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, pageText(file, read(file)))
  }
  cpSync(join(ROOT, IMAGES), join(folder, 'public/images'), { recursive: true })
}

/** The Markdown of a page for the site: its links lead to pages, and name them. */
export function pageText(file: string, text: string): string {
  const names = new Map(
    [...FIRST_PAGES, ...navigation().flatMap(({ items }) => items)].map((item) => [item.link, item.text]),
  )
  const linked = withLinks(text, (link) => siteLink(file, link) ?? link)
  return [
    '---',
    `edit: ${REPOSITORY_URL}/edit/main/${file}`,
    `aside: ${/^##/m.test(withoutCodeBlocks(text))}`, // the list of headings, which takes room from tables
    '---',
    withNames(linked, (link) => names.get(link.replace(/#.*/, '')) ?? null),
  ].join('\n')
}

function brokenLinks(): string[] {
  return Array.from(PAGES.keys()).flatMap((file) =>
    linksOf(read(file))
      .filter((link) => siteLink(file, link) === null)
      .map((link) => `${file}: the link ${link} leads to no file`),
  )
}

/**
 * Where a link of a Markdown file leads on the site: to the page of another Markdown file, to an image, or to the repository
 * for other files; null if there is no such file. Links are written for the repository, so they are relative to the file.
 */
export function siteLink(file: string, link: string): string | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(link)) return link
  const [path = '', anchor] = link.split('#', 2)
  const target = posix.join(posix.dirname(file), decodeURIComponent(path)).replace(/\/$/, '')
  const end = anchor === undefined ? '' : `#${anchor}`
  const page = PAGES.get(target)
  if (page !== undefined) return `/${page}${end}`
  const found = statSync(join(ROOT, target), { throwIfNoEntry: false })
  if (found === undefined) return null
  if (target.startsWith(`${IMAGES}/`)) return target.slice('docs'.length)
  return `${REPOSITORY_URL}/${found.isDirectory() ? 'tree' : 'blob'}/main/${target}${end}`
}

export type Section = { text: string; items: { text: string; link: string }[] }

/** What docs/README.md does not list. */
export const FIRST_PAGES: Section['items'] = [
  { text: 'Introduction', link: '/index.md' },
  { text: 'All pages', link: '/all-pages.md' },
]

/** The sections of docs/README.md. A heading such as "Guide: using Mailhatch" becomes "Guide". */
export function navigation(): Section[] {
  const [, ...sections] = read(INDEX).split(/^## /m)
  return sections.map((section) => ({
    text: /^[^:\n]+/.exec(section)![0],
    items: Array.from(section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm), ([, text, link]) => ({
      text: text!,
      link: siteLink(INDEX, link!)!,
    })),
  }))
}
