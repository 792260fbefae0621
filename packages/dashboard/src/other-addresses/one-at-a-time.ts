/**
 * A function that starts `work`. Calls while it runs start it once more afterwards, however many they are: a slow server
 * has one request at a time. A failure is ignored, because the next call does the same work.
 */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false
  let isAskedAgain = false

  async function run(): Promise<void> {
    isRunning = true
    do {
      isAskedAgain = false
      await work().catch(() => {})
    } while (isAskedAgain)
    isRunning = false
  }

  return () => {
    if (isRunning) isAskedAgain = true
    else void run()
  }
}
