/** Longer texts are made again for each search. */
const TEXT_LENGTH_MAX = 65_536

type Dated = { receivedAt: number }

/** The texts of the newest messages, as many as fit into a limit. */
export type KeptTexts<Key extends Dated> = {
  get(key: Key): string | undefined
  keep(key: Key, text: string): void
  forget(key: Key): void
}

export function createKeptTexts<Key extends Dated>(lengthMax: number): KeptTexts<Key> {
  const texts = new Map<Key, string>()
  let length = 0
  /** Older ones had to give way. If they came back, a search through all would replace every text each time. */
  let keptFrom = -Infinity

  function forget(key: Key): void {
    length -= texts.get(key)?.length ?? 0
    texts.delete(key)
    if (length < lengthMax / 2) keptFrom = -Infinity
  }

  function makeRoom(): void {
    for (const key of Array.from(texts.keys()).sort((one, other) => one.receivedAt - other.receivedAt)) {
      // More than necessary, so that this happens rarely.
      if (length <= lengthMax * 0.75) return
      forget(key)
      keptFrom = key.receivedAt
    }
  }

  return {
    get: (key) => texts.get(key),
    keep(key, text) {
      if (text.length > TEXT_LENGTH_MAX || key.receivedAt <= keptFrom) return
      texts.set(key, text)
      length += text.length
      if (length > lengthMax) makeRoom()
    },
    forget,
  }
}
