import { isMultipart, type Part } from './part.ts'

/** The parts of a mail that are its own text and HTML, and its attachments. */
export type Content = { text: Part | null; html: Part | null; attachments: AttachedPart[] }

/** `isRelated`: inside multipart/related, where the HTML may show it by its Content-ID. */
export type AttachedPart = { part: Part; isRelated: boolean; filename?: string }

type Bodies = Pick<Content, 'text' | 'html'>
type IsBlank = (part: Part) => boolean

const NONE: Bodies = { text: null, html: null }

/**
 * The mail's own text is the first without a file name. If there is none, a text with a file name is used. Every
 * other part is an attachment, and so is every part with a name, even if it is the text.
 *
 * The order of attachments must not change, because messages store the index of each attachment: first the parts that
 * cannot be text, then the texts that are not the mail's own or have a name.
 */
export function sortParts(root: Part, isBlank: IsBlank): Content {
  const bodies = findOwn(root, { isBlank, mayBeNamed: false }) ?? findOwn(root, { isBlank, mayBeNamed: true })
  const { text, html } = bodies ?? substitute(root)
  const leaves = listLeaves(root, false)
  const others = leaves.filter(({ part }) => !isTextual(part))
  const own = new Set([text, html])
  // Alternatives to the mail's own text have the same content in another form.
  const around = new Set(leaves.filter(({ part }) => own.has(part)).map(({ alternative }) => alternative))
  const texts = leaves.filter(({ part, alternative, isDirect }) => {
    if (!isTextual(part)) return false
    const isSame = own.has(part) || (isDirect && around.has(alternative))
    return isNamed(part) || (!isSame && !isBlank(part))
  })
  return { text, html, attachments: [...others, ...texts].map(({ part, isRelated }) => ({ part, isRelated })) }
}

type Search = { isBlank: IsBlank; mayBeNamed: boolean }

function findOwn(root: Part, search: Search): Bodies | null {
  const bodies = ownOf(root, search)
  return bodies.text || bodies.html ? bodies : null
}

function ownOf(part: Part, search: Search): Bodies {
  if (part.children.length === 0) return isTextual(part) && !search.isBlank(part) ? asBody(part) : NONE
  if (part.contentType === 'multipart/alternative') return bestAlternatives(part, search)
  const children = mainFirst(part).filter((child) => search.mayBeNamed || !isFile(child))
  return firstOf(children.map((child) => ownOf(child, search)))
}

/** The first text and the last HTML: RFC 2046, 5.1.4 puts the best last, and additions to texts come after them. */
function bestAlternatives(part: Part, search: Search): Bodies {
  const bodies = part.children.map((child) => ownOf(child, search))
  return {
    text: bodies.find(({ text }) => text)?.text ?? null,
    html: bodies.findLast(({ html }) => html)?.html ?? null,
  }
}

/**
 * The first text or HTML. HTML directly after a text is the same content in another form. Everything else is another
 * text.
 */
function firstOf(bodies: Bodies[]): Bodies {
  const index = bodies.findIndex(({ text, html }) => text || html)
  const first = bodies[index]
  if (!first) return NONE
  const next = bodies[index + 1]
  return first.html || !next || next.text ? first : { text: first.text, html: next.html }
}

/** RFC 2387: multipart/related may name its main part. */
function mainFirst({ contentType, contentParameters, children }: Part): Part[] {
  const start = contentType === 'multipart/related' ? contentParameters.get('start') : undefined
  const main =
    start && children.find(({ contentId }) => contentId !== null && contentId === start.replace(/^<|>$/g, ''))
  return main ? [main, ...children.filter((child) => child !== main)] : children
}

// Types that are rarely the only text.
const SUBSTITUTES = new Set(['text/enriched', 'text/richtext', 'plain/text', 'text/markdown', 'text/x-markdown'])

function substitute(root: Part): Bodies {
  const isSubstitute = (part: Part) => SUBSTITUTES.has(part.contentType) && part.disposition !== 'attachment'
  return { text: listLeaves(root, false).find(({ part }) => isSubstitute(part))?.part ?? null, html: null }
}

/** `alternative`: the multipart/alternative that contains it, at any depth. */
type Leaf = AttachedPart & { alternative: Part | null; isDirect: boolean }

function listLeaves(part: Part, isRelated: boolean, alternative: Part | null = null, isDirect = false): Leaf[] {
  if (part.children.length === 0) return [{ part, isRelated, alternative, isDirect }]
  const inRelated = isRelated || part.contentType === 'multipart/related'
  const isAlternative = part.contentType === 'multipart/alternative'
  const around = isAlternative ? part : alternative
  return part.children.flatMap((child) => listLeaves(child, inRelated, around, isAlternative))
}

function asBody(part: Part): Bodies {
  return part.contentType === 'text/html' ? { text: null, html: part } : { text: part, html: null }
}

/** Whether the part can be the mail's own text. An enclosed message cannot: it is an attachment. */
function isTextual(part: Part): boolean {
  // A multipart without delimiters is broken, but its content is shown.
  if (isMultipart(part)) return !part.isOpaque
  return (part.contentType === 'text/plain' || part.contentType === 'text/html') && part.disposition !== 'attachment'
}

function isFile(part: Part): boolean {
  return part.children.length === 0 && isNamed(part)
}

function isNamed(part: Part): boolean {
  return Boolean(part.dispositionParameters.get('filename') || part.contentParameters.get('name'))
}
