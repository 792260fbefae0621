/** A pause that a wake ends early, also one that comes between its beginning and its end. */
export function createNap() {
  let isWoken = false
  let endEarly: () => void = () => {}
  return {
    /** From now on a wake counts: whoever looks for work between `begin` and `end` misses none. */
    begin(): void {
      isWoken = false
    },
    async end(milliseconds: number): Promise<void> {
      if (isWoken) return
      await new Promise<void>((resolve) => {
        // A program that has nothing else to do may end.
        const timer = setTimeout(resolve, milliseconds).unref()
        endEarly = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    wake(): void {
      isWoken = true
      endEarly()
    },
  }
}
