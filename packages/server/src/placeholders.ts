/**
 * What stands in examples where a value of one's own belongs. Everybody knows these, so as secrets they keep nobody out.
 * The last four are those of manifests that were published before.
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

/** Throws for a value, or a password in an address, that was left as an example has it. */
export function refusePlaceholder(value: string): void {
  const parts = [value.trim(), passwordIn(value)]
  if (!parts.some((part) => PLACEHOLDERS.some((placeholder) => placeholder.test(part)))) return
  throw new Error('is a placeholder from an example; set your own value (for secrets: openssl rand -hex 32)')
}

function passwordIn(value: string): string {
  if (!value.includes('://') || !URL.canParse(value)) return ''
  // As it was written, where it cannot be decoded.
  const { password } = new URL(value)
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
