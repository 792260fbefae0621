/** Rejects if the work takes longer. The work goes on, but nothing waits for it. */
export function withDeadline<Result>(work: Promise<Result>, milliseconds: number, name: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} took more than ${milliseconds} ms`)), milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
