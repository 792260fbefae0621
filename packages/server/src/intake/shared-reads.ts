/**
 * Mail comes in bursts, often for one mailbox: those who ask for the same within one turn of the event loop share the
 * answer. Nobody can have heard of a change and act on it within the turn in which it is committed, so an answer is
 * never older than what its asker knows of.
 */
export function sharedWithinTurn<Wish, Answer>(
  read: (wish: Wish) => Promise<Answer>,
  keyOf: (wish: Wish) => string,
): (wish: Wish) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>()
  return (wish) => {
    const key = keyOf(wish)
    const known = answers.get(key)
    if (known) return known
    if (answers.size === 0) setImmediate(() => answers.clear())
    const answer = read(wish)
    answers.set(key, answer)
    return answer
  }
}
