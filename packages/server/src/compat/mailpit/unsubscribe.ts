import type { Header } from '@mailhatch/sdk'
import { findHeader } from '../../mime/headers.ts'

type Unsubscribe = { Header: string; Links: string[]; Errors: string; HeaderPost: string }

/** The links of a List-Unsubscribe header (RFC 2369): at most one address and one URL, and what is wrong with it. */
export function unsubscribeOf(headers: Header[]): Unsubscribe {
  const header = findHeader(headers, 'list-unsubscribe')?.value ?? ''
  if (header === '') return { Header: '', Links: [], Errors: '', HeaderPost: '' }
  const post = findHeader(headers, 'list-unsubscribe-post')?.value ?? ''
  return { Header: header, ...linksIn(header), HeaderPost: post }
}

function linksIn(header: string): Pick<Unsubscribe, 'Links' | 'Errors'> {
  const value = withoutComments(header).trim()
  const refused = (reason: string) => ({ Links: [], Errors: `"${value}" ${reason}` })
  const given = textsBetween(value, '<', '>')
  if (given.length === 0) return refused('no valid unsubscribe links found')
  if (!value.startsWith('<') || !value.endsWith('>')) return refused('should be enclosed in <>')
  if (given.length > 2) return refused('should include a maximum of one email and one HTTP link')
  const between = textsBetween(value, '>', '<')
  if (between.some((text) => text.trim() !== ',')) return refused('<> should be split with a comma and optional spaces')
  const links: string[] = []
  const errors: string[] = []
  const kinds = new Set<string>()
  for (const link of given) {
    const problem = problemOf(link, kinds)
    if (problem === null) links.push(link)
    else errors.push(`"${link}" ${problem}`)
  }
  return { Links: links, Errors: errors.join(', ') }
}

function withoutComments(text: string): string {
  let kept = ''
  let keptFrom = 0
  for (const { start, end } of spans(text, '(', ')')) {
    kept += text.slice(keptFrom, start)
    keptFrom = end + 1
  }
  return kept + text.slice(keptFrom)
}

function textsBetween(text: string, open: string, close: string): string[] {
  return Array.from(spans(text, open, close), ({ start, end }) => text.slice(start + 1, end))
}

/** From a sign to the next that closes it, and so on after that. Linear: without a closing sign, nothing is looked for again. */
function* spans(text: string, open: string, close: string): Generator<{ start: number; end: number }> {
  for (let start = text.indexOf(open); start >= 0;) {
    const end = text.indexOf(close, start + 1)
    if (end < 0) return
    yield { start, end }
    start = text.indexOf(open, end + 1)
  }
}

/** Adds the kind of the link to those that were seen. Null if nothing is wrong. */
function problemOf(link: string, kinds: Set<string>): string | null {
  if (/\s/.test(link)) return 'should not contain spaces'
  const kind = /^mailto:[a-z0-9]/i.test(link) ? 'mailto:' : /^https?:\/\/[a-z0-9]/i.test(link) ? 'HTTP link' : null
  if (kind === null) return 'should start with either http(s):// or mailto:'
  if (kinds.has(kind)) return `should only contain one ${kind}`
  kinds.add(kind)
  return URL.canParse(link) ? null : 'is not a URL'
}
