import type { Email } from './email.ts'

/** Allows inline styles; blocks scripts, forms and remote content. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'"

/** The mail as a page that runs no scripts and loads nothing. Links work. */
export function mailPage({ html, text }: Pick<Email, 'html' | 'text'>): string {
  const head = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`
  return head + (html || `<pre style="white-space: pre-wrap">${escaped(text)}</pre>`)
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
