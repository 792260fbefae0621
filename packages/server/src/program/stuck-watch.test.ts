import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'

const MODULE = new URL('./stuck-watch.ts', import.meta.url).href

function run(work: string) {
  const program = join(temporaryFolder(), 'program.mjs')
  writeFileSync(
    program,
    `import { createStuckWatch } from '${MODULE}'
    createStuckWatch(console, { stuckMs: 700 })()
    const rest = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
    ${work}
    console.log('done')`,
  )
  return spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 })
}

test('a program that is stuck in a computation ends and says why', () => {
  const { signal, stderr, stdout } = run('for (;;);')
  expect({ signal, stdout }).toEqual({ signal: 'SIGKILL', stdout: '' })
  expect(stderr).toContain('stuck in one computation for more than 700 ms')
})

test('a program that waits or works in short pieces does not end', () => {
  const pause = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)'
  const work = 'for (const end = Date.now() + 2_000; Date.now() < end; await rest(1));'
  const { stdout, stderr } = run(`${pause}; ${work}`)
  expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' })
})
