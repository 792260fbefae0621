const BAR_WIDTH = 20

export type Shown = { label: string; done: number; total: number }

/** Shows how far a long work is: a bar on standard error, where that is a terminal, gone at the end. */
export function createProgress(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {
  let isShown = false
  return {
    show({ label, done, total }: Shown): void {
      if (!output.isTTY) return
      const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
      output.write(`\r\u001b[K${bar} ${label}: ${done} of ${total}`)
      isShown = true
    },
    end(): void {
      if (isShown) output.write('\r\u001b[K')
    },
  }
}
