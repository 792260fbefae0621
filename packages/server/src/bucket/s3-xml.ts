/** An element of an S3 response. It has either children or text. */
export type XmlElement = { name: string; text: string; children: XmlElement[] }

const PROLOG = /^\uFEFF?\s*(?:<\?xml[^?]*\?>\s*)?/
const TAG = /<(\/?)([A-Za-z_][\w.:-]*)(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>/y
const TEXT = /[^<]+/y
const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

/**
 * Parses the XML that S3 writes: elements and text. Everything that S3 never writes (document types, comments, CDATA,
 * custom entities) is an error.
 */
export function parseXml(xml: string): XmlElement {
  const root: XmlElement = { name: '', text: '', children: [] }
  const open = [root]
  for (let position = PROLOG.exec(xml)![0].length; position < xml.length;) {
    const current = open.at(-1)!
    const tag = matchAt(TAG, xml, position)
    const text = tag ? null : matchAt(TEXT, xml, position)
    if (tag) {
      const [, isEnd, name, isEmpty] = tag
      if (isEnd) {
        if (current.name !== name || isEmpty) throw notXml(position)
        open.pop()
      } else {
        const element = { name: name!, text: '', children: [] }
        current.children.push(element)
        if (!isEmpty) open.push(element)
      }
    } else if (text) current.text += decodeEntities(text[0])
    else throw notXml(position)
    position += (tag ?? text)![0].length
  }
  const [first, second] = root.children
  if (open.length !== 1 || !first || second || root.text.trim() !== '') throw notXml(xml.length)
  return first
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name)
}

/** The text of the child with that name; null if there is none. */
export function textOf(element: XmlElement, name: string): string | null {
  return childrenOf(element, name)[0]?.text ?? null
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&([^;]*);?/g, (entity, name: string) => {
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? []
    const codePoint = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : null
    const decoded =
      codePoint === null ? ENTITIES.get(name) : codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : null
    if (!entity.endsWith(';') || !decoded) throw new Error('The storage’s response contains an unknown XML entity.')
    return decoded
  })
}

function notXml(position: number): Error {
  return new Error(`The storage’s response is not valid S3 XML, at character ${position}.`)
}
