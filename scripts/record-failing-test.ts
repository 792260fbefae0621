// Records docs/images/failing-test.svg: runs examples/failing-test, as a user would, and draws what it prints.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installExamples } from '../packages/sdk/test/support/examples.ts'
import { terminalSvg, type TimedLine } from './terminal-svg.ts'

const FILE = fileURLToPath(new URL('../docs/images/failing-test.svg', import.meta.url))
const COMMAND = ['npx', 'vitest', 'run']
const COLUMNS = 104
/** Waits are shortened to this: the recording is short, and its last line has the real times. */
const PAUSE_MS_MAX = 1_500
const PAUSE_MS_MIN = 100
/** Time to read the result. */
const HOLD_MS = 9_000

if (import.meta.main) writeFileSync(FILE, await recordFailingTest())

export async function recordFailingTest(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-recording-'))
  try {
    await installExamples(folder)
    const shop = join(folder, 'examples/failing-test')
    const printed = await record(shop)
    return terminalSvg({
      title:
        'A test waits for a mail that went to another address. The error shows what arrived instead, and why it does not match.',
      lines: [{ text: `$ ${COMMAND.join(' ')}`, atMs: 0 }, ...withShortPauses(printed)].map(({ text, atMs }) => ({
        // Few fonts have the line that Vitest draws.
        text: text.replaceAll(shop, '~/shop').replaceAll('⎯', '─'),
        atMs,
      })),
      columns: COLUMNS,
      holdMs: HOLD_MS,
      isKey: (text) => text.includes('not matching:'),
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function record(folder: string): Promise<TimedLine[]> {
  const { PATH = '', HOME = '' } = process.env
  const [program, ...words] = COMMAND
  // Without the npm settings of this machine, about which npm may print warnings.
  const env = { PATH, HOME, FORCE_COLOR: '1', npm_config_userconfig: devNull }
  const child = spawn(program!, words, { cwd: folder, env })
  const beganAt = performance.now()
  const lines: TimedLine[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      const atMs = Math.round(performance.now() - beganAt)
      lines.push(
        ...text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => ({ text: line, atMs })),
      )
    })
  }
  await once(child, 'close')
  const printed = lines.map(({ text }) => text).join('\n')
  if (!printed.includes('What did arrive:')) throw new Error(`The test did not fail as it should:\n${printed}`)
  return withoutBlankRuns(lines)
}

/** Each line appears at most `PAUSE_MS_MAX` after the one before, and together with it if the eye sees no pause. */
function withShortPauses(lines: TimedLine[]): TimedLine[] {
  let shown = 0
  let before = 0
  return lines.map(({ text, atMs }) => {
    const pauseMs = atMs - before
    if (pauseMs >= PAUSE_MS_MIN) {
      shown += Math.min(PAUSE_MS_MAX, pauseMs)
      before = atMs
    }
    return { text, atMs: shown }
  })
}

/** Without empty lines at the end, and with at most one between others. */
function withoutBlankRuns(lines: TimedLine[]): TimedLine[] {
  const isBlank = (index: number) => (lines[index]?.text ?? '').trim() === ''
  const end = lines.findLastIndex((_, index) => !isBlank(index)) + 1
  return lines.slice(0, end).filter((_, index) => !isBlank(index) || !isBlank(index - 1))
}
