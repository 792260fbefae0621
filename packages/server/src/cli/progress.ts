/** Without a terminal, a line for each of these steps is enough to see that it goes on. */
const STEPS = 10

export type Shown = { label: string; done: number; total: number }

/** Shows how far a long work is, on standard error: one line that changes on a terminal, else a few lines. */
export function createProgress(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {
  let shown = ''
  return {
    show({ label, done, total }: Shown): void {
      const step = total === 0 ? STEPS : Math.floor((done / total) * STEPS)
      const line = `${label}: ${done} of ${total}`
      if (output.isTTY) output.write(`\r\u001b[K${line}`)
      else if (`${label} ${step}` !== shown) output.write(`${line}\n`)
      shown = `${label} ${step}`
    },
    end(): void {
      if (output.isTTY && shown !== '') output.write('\r\u001b[K')
    },
  }
}
