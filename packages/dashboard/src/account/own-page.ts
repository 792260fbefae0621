/** Prevents open redirects: `next` must be a path on this host. */
export function isOwnPage(next: string | null): next is string {
  return next !== null && /^\/(?![/\\])/.test(next)
}
