/** A link to us must not lead to another site. */
export function isOwnPage(next: string | null): next is string {
  return next !== null && /^\/(?![/\\])/.test(next)
}
