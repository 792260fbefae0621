/** Without a terminal, a line for each of these steps is enough to see that it goes on. */
const STEPS = 10
const BAR_WIDTH = 20

export type Shown = { label: string; done: number; total: number }

export type Progress = ReturnType<typeof createProgress>

/** Shows how far a long work is, on standard error: a bar that grows on a terminal, else a few lines. */
export function createProgress(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {
  let shown = ''
  return {
    show({ label, done, total }: Shown): void {
      const share = total === 0 ? 1 : done / total
      const step = Math.floor(share * STEPS)
      const counted = `${label}: ${done} of ${total}`
      if (output.isTTY) output.write(`\r\u001b[K${bar(share)} ${counted}`)
      else if (`${label} ${step}` !== shown) output.write(`${counted}\n`)
      shown = `${label} ${step}`
    },
    end(): void {
      if (output.isTTY && shown !== '') output.write('\r\u001b[K')
    },
  }
}

/** The same on a terminal alone, for work that is done in seconds. */
export function terminalProgress(): Progress {
  return process.stderr.isTTY ? createProgress() : { show: () => {}, end: () => {} }
}

function bar(share: number): string {
  const filled = Math.floor(share * BAR_WIDTH)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
}
