/**
 * Placeholder values from examples. They are public, so they protect nothing as secrets. The last four are from
 * manifests that were published earlier.
 */
const PLACEHOLDERS = [
  /^change[-_ ]?(me|this)(?![a-z])/i,
  /^replace[-_ ]?(me|this)(?![a-z])/i,
  /^(your|my)[-_ ](own[-_ ])?(secret|password|token|key)([-_ ]here)?$/i,
  /^<[^<>@]*>$/,
  /^\$(\{[A-Z_]+\}?|[A-Z_]+)$/,
  /^the-same-in-both$/,
  /^at-least-32-characters-the-same-for-all-replicas$/,
  /^access-key$/,
  /^secret-key$/,
]

/** Throws if a value, or the password in a URL, is a placeholder. */
export function refusePlaceholder(value: string): void {
  const parts = [value.trim(), passwordIn(value.trim())]
  if (!parts.some((part) => PLACEHOLDERS.some((placeholder) => placeholder.test(part)))) return
  throw new Error('is a placeholder from an example; set your own value (for secrets: openssl rand -hex 32)')
}

/** Not parsed as a URL, because several hosts make it none. */
function passwordIn(value: string): string {
  const password = /^[a-z][a-z\d+.-]*:\/\/[^/?#:]*:([^/?#]*)@/i.exec(value)?.[1] ?? ''
  try {
    return decodeURIComponent(password)
  } catch {
    // If it cannot be decoded, compare it as written.
    return password
  }
}
