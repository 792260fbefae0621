/** A mail with an attack. `needsClick`: it works only if the user clicks on its content. */
export type Attack = { kind: string; html: string; needsClick?: boolean }

/** What an attack uses: a script to run, and URLs to request. */
export type Means = { script: string; url: (file: string) => string }

export function ofKind(kind: string, pages: string[], options: { needsClick?: boolean } = {}): Attack[] {
  return pages.map((html) => ({ kind, html, ...options }))
}

/** As the value of an attribute. */
export function quoted(script: string): string {
  return `"${escape(script)}"`
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
