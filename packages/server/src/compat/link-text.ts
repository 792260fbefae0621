import { htmlToText, visibleSink } from '../domain/html/html-text.ts'
import { tokenizeHtml } from '../domain/html/html-tokens.ts'

/** Whether a mail has only HTML, so that its text was made of it. */
export function isTextFromHtml({ html, text }: { html: string | null; text: string | null }): boolean {
  return html !== null && (text ?? '') === htmlToText(html)
}

/** The visible text of HTML. Each link is followed by what `asLink` makes of its URL. */
export function textWithLinks(html: string, asLink: (href: string) => string): string {
  const parts: string[] = []
  const visible = visibleSink(parts, '* ')
  let href: string | null = null
  tokenizeHtml(html, {
    text: visible.text,
    open(name, attributes) {
      visible.open(name, attributes)
      if (name === 'a') href = attributes.href ?? null
    },
    close(name) {
      // The sink decodes what it is given.
      if (name === 'a' && href !== null) visible.text(asLink(href.replaceAll('&', '&amp;')))
      if (name === 'a') href = null
      visible.close(name)
    },
  })
  return parts.join('')
}
