import { expect, test, vi } from 'vitest'
import { expectStop, isAlive, SIGNALS, startByNpm, STOP, WAYS } from './support/npm-start.ts'

// Every way and every signal once; the long form has all pairs, on both Nodes.
const CASES = WAYS.map(([way, scripts], index) => ({
  way,
  scripts,
  signal: SIGNALS[index % SIGNALS.length]!,
  isOld: index % 2 === 0,
}))

test.each(CASES)('$signal to $way stops the program (on an old Node: $isOld)', expectStop)

test('a program that a script starts in the background outlives the script', async () => {
  const { child, program } = await startByNpm('npm run mail', { mail: 'mailhatch serve &' })
  const other = await startByNpm('npx mailhatch')
  await vi.waitFor(() => expect(child.exitCode).toBe(0), STOP)
  // Long enough for the other program to notice the end of its npm.
  other.child.kill('SIGKILL')
  await vi.waitFor(() => expect(isAlive(other.program)).toBe(false), STOP)
  expect(isAlive(program)).toBe(true)
})
