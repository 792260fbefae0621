/** The messages of an error and its causes: fetch reports only "fetch failed" and puts the reason into `cause`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Node has one error per address of a host name, usually for the same reason.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message
}
