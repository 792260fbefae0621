/** Code blocks, and code in lines: in these, brackets are not links and # is not a heading. */
const CODE_BLOCK = /^( *)(?<fence>```+|~~~+)[^]*?^\1\k<fence>$/gm
const CODE = new RegExp(`${CODE_BLOCK.source}|(?<ticks>\`+)(?!\`)[^]*?[^\`]\\k<ticks>(?!\`)`, 'gm')

export const withoutCodeBlocks = (page: string): string => page.replaceAll(CODE_BLOCK, '')

export const withoutCode = (page: string): string => page.replaceAll(CODE, 'code')

/** Targets of links and images. */
const TARGETS = [
  /(?<=\]\(\s*<?)[^)\s>]+(?=>?(?:\s+"[^"]*")?\s*\))/g, // [text](target), ![text](target)
  /(?<=^\s*\[[^\]]+\]:\s*)\S+/gm, // [label]: target
  /(?<=<(?:a|img|source)\s[^>]*?(?:href|src|srcset)=")[^"]+/g,
]

export function linksOf(page: string): string[] {
  const text = withoutCode(page)
  return TARGETS.flatMap((target) => text.match(target) ?? [])
}

/** The page with other targets of its links and images. */
export function withLinks(page: string, rewritten: (link: string) => string): string {
  return outsideCode(page, (text) => TARGETS.reduce((before, target) => before.replaceAll(target, rewritten), text))
}

/** The page with names for links whose text is only a file, such as [sdk.md](../reference/sdk.md). */
export function withNames(page: string, nameOf: (link: string) => string | null): string {
  return outsideCode(page, (text) =>
    text.replaceAll(/(?<=\[)[\w./-]+\.md(?=\]\(([^)\s]+)\))/g, (file: string, link: string) => nameOf(link) ?? file),
  )
}

function outsideCode(page: string, change: (text: string) => string): string {
  const code = page.match(CODE) ?? []
  let next = 0
  return change(page.replaceAll(CODE, CODE_IS_HERE)).replaceAll(CODE_IS_HERE, () => code[next++]!)
}

/** In no page: it is not a character of any text. */
const CODE_IS_HERE = '\uFFFE'

/** The anchor that GitHub gives a heading: lower case, no punctuation, dashes for spaces. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
