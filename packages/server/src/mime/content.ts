import { isMultipart, type Part } from './part.ts'

/** Which parts of a mail are its bodies and which are attachments. */
export type Content = { texts: Part[]; htmls: Part[]; attachments: AttachedPart[] }

/** `isRelated`: inside multipart/related, where the HTML may show it by its Content-ID. */
export type AttachedPart = { part: Part; isRelated: boolean }

type Bodies = Pick<Content, 'texts' | 'htmls'>

export function sortParts(root: Part): Content {
  const attachments: AttachedPart[] = []
  return { ...collect(root, false, attachments), attachments }
}

function collect(part: Part, isRelated: boolean, attachments: AttachedPart[]): Bodies {
  if (part.children.length > 0) {
    const inRelated = isRelated || part.contentType === 'multipart/related'
    const bodies = part.children.map((child) => collect(child, inRelated, attachments))
    return part.contentType === 'multipart/alternative' ? lastOfEach(bodies) : allOf(bodies)
  }
  // Everything else is an attachment, a message inside the message too: what it says is not what this mail says.
  if (isText(part)) return { texts: [part], htmls: [] }
  if (isHtml(part)) return { texts: [], htmls: [part] }
  attachments.push({ part, isRelated })
  return { texts: [], htmls: [] }
}

/** RFC 2046, 5.1.4: the alternatives come in order of increasing faithfulness. */
function lastOfEach(bodies: Bodies[]): Bodies {
  return {
    texts: bodies.findLast(({ texts }) => texts.length > 0)?.texts ?? [],
    htmls: bodies.findLast(({ htmls }) => htmls.length > 0)?.htmls ?? [],
  }
}

function allOf(bodies: Bodies[]): Bodies {
  return { texts: bodies.flatMap(({ texts }) => texts), htmls: bodies.flatMap(({ htmls }) => htmls) }
}

function isText(part: Part): boolean {
  // A multipart in which no delimiter was found is broken; its content is at least shown.
  const isBroken = isMultipart(part) && !part.isOpaque
  return isBroken || (part.contentType === 'text/plain' && part.disposition !== 'attachment')
}

function isHtml(part: Part): boolean {
  return part.contentType === 'text/html' && part.disposition !== 'attachment'
}
