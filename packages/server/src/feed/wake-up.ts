export type WakeUp = {
  wake(): void
  /** Resolves after a wake-up or the given time. A wake-up that arrives between two waits ends the next one at once. */
  wait(milliseconds: number): Promise<void>
}

export function createWakeUp(): WakeUp {
  let isWoken = false
  let endWait = () => {}
  return {
    wake() {
      isWoken = true
      endWait()
    },
    async wait(milliseconds) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          // Does not keep an otherwise idle process alive.
          const timer = setTimeout(resolve, milliseconds).unref()
          endWait = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isWoken = false
    },
  }
}
