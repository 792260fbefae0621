/**
 * Mail and requests arrive in bursts, often for one mailbox or with one key: identical reads within one turn of the event loop
 * share the result. A client cannot act on a change before the turn in which it was committed has ended, so a result is never
 * older than what the client knows. Code in this process that changes a domain and then announces mail waits for a turn.
 */
export function sharedWithinTurn<Input, Result>(
  read: (input: Input) => Promise<Result>,
  keyOf: (input: Input) => string,
): (input: Input) => Promise<Result> {
  const results = new Map<string, Promise<Result>>()
  return (input) => {
    const key = keyOf(input)
    const known = results.get(key)
    if (known) return known
    if (results.size === 0) setImmediate(() => results.clear())
    const result = read(input)
    results.set(key, result)
    return result
  }
}
