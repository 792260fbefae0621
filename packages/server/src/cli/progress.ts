const BAR_WIDTH = 20
/** Lines in a log, where there is no bar. */
const STEPS = 10

export type Shown = { label: string; done: number; total: number }

type Options = {
  output?: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>
  /** Write some lines if standard error is not a terminal, for long work that an operator follows in a log. */
  isLogged?: boolean
}

/** Shows the progress of long work as a bar on standard error, if that is a terminal. Removes it at the end. */
export function createProgress({ output = process.stderr, isLogged = false }: Options = {}) {
  let shown = ''

  function writeLine({ label, done, total }: Shown): void {
    const step = `${label} ${Math.floor(shareOf({ done, total }) * STEPS)}`
    if (step !== shown) output.write(`${label}: ${done} of ${total}\n`)
    shown = step
  }

  function drawBar({ label, done, total }: Shown): void {
    const filled = Math.floor(shareOf({ done, total }) * BAR_WIDTH)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
    output.write(`\r\u001b[K${bar} ${label}: ${done} of ${total}`)
    shown = label
  }

  return {
    show(progress: Shown): void {
      if (output.isTTY) drawBar(progress)
      else if (isLogged) writeLine(progress)
    },
    end(): void {
      if (output.isTTY && shown !== '') output.write('\r\u001b[K')
    },
  }
}

function shareOf({ done, total }: Pick<Shown, 'done' | 'total'>): number {
  return total === 0 ? 1 : done / total
}
