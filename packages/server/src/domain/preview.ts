import { cutText } from './cut-text.ts'
import { htmlToText } from './html/html-text.ts'

/** More than a row of the widest list shows. */
const PREVIEW_LENGTH_MAX = 160

/** How much of a body a preview is made of. Style sheets before the text of HTML are rarely longer. */
export const PREVIEW_SOURCE_MAX = { text: 4_096, html: 32_768 }

/** Characters without a width or a shape, with which newsletters keep their text out of previews. */
const FILLER = /[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu

/** The first words of a message, on one line. */
export function previewOf({ text, html }: { text: string | null; html: string | null }): string {
  const words = text ?? (html === null ? '' : htmlToText(html))
  const line = words.replaceAll(FILLER, '').replaceAll(/\s+/g, ' ').trim()
  return cutText(line, PREVIEW_LENGTH_MAX)
}
