import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

export type Checked = { pages: number; links: number; broken: string[] }

/** Checks that every link of the built pages within the site leads to a file, and its anchor to an element. */
export function checkLinks(folder: string, base = '/'): Checked {
  const pages = globSync('**/*.html', { cwd: folder }).toSorted()
  const html = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]))
  const anchors = new Map(Array.from(html, ([page, text]) => [page, anchorsIn(text)]))
  const links = Array.from(html).flatMap(([page, text]) => linksIn(text).map((link) => ({ page, link })))
  const isBroken = ({ page, link }: { page: string; link: string }): boolean => {
    const { pathname, hash } = new URL(link, `${SITE}${base}${page}`)
    const file = fileAt(folder, pathname, base)
    if (file === null) return true
    return hash !== '' && !anchors.get(file)?.has(decodeURIComponent(hash.slice(1)))
  }
  const broken = links.filter(isBroken).map(({ page, link }) => `${page}: ${link}`)
  return { pages: pages.length, links: links.length, broken: [...new Set(broken)] }
}

/** Any host: it only completes relative links. */
const SITE = 'http://site.invalid'

/** Links that leave the site are not followed. */
function linksIn(html: string): string[] {
  const links = Array.from(html.matchAll(/\s(?:href|src|srcset)="([^"]*)"/g), ([, link]) =>
    link!.replaceAll('&amp;', '&'),
  )
  return links.filter((link) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link))
}

function anchorsIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id!.replaceAll('&amp;', '&')))
}

/** The file that a static server responds with; null if there is none. */
function fileAt(folder: string, pathname: string, base: string): string | null {
  const path = decodeURIComponent(pathname)
  if (!path.startsWith(base)) return null
  const file = path.slice(base.length)
  const candidates = [file, `${file}.html`, posix.join(file, 'index.html')]
  const isFile = (name: string) => existsSync(join(folder, name)) && statSync(join(folder, name)).isFile()
  return candidates.find(isFile) ?? null
}
