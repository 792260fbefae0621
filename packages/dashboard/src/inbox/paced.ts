/**
 * A function that runs `work` at once, and after further calls once more at the end of the interval: at most once per
 * interval, and always after the last call.
 */
export function paced(work: () => void, everyMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAskedAgain = false

  function run(): void {
    isAskedAgain = false
    timer = setTimeout(() => {
      timer = undefined
      if (isAskedAgain) run()
    }, everyMs)
    work()
  }

  return () => {
    if (timer === undefined) run()
    else isAskedAgain = true
  }
}
