import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PROCESSES = 4
/** So many that processes which only looked for a free port would choose a port of another with near certainty. */
const PORTS_PER_PROCESS = 150

test('processes that choose ports at the same time choose different ones', async () => {
  const script = `
    import { freePort } from ${JSON.stringify(new URL('support/free-port.ts', import.meta.url).href)}
    const ports = []
    for (let i = 0; i < ${PORTS_PER_PROCESS}; i++) ports.push(await freePort())
    console.log(JSON.stringify(ports))
    // It keeps its ports until its input ends.
    process.stdin.resume()`
  const children = Array.from({ length: PROCESSES }, () => {
    const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    return { running, child: running.child }
  })
  await Promise.all(
    children.map(({ child }) => new Promise((resolve) => child.stdout!.once('data', resolve).once('close', resolve))),
  )
  for (const { child } of children) child.stdin!.end()
  const outputs = await Promise.all(children.map(({ running }) => running))
  const ports = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as number[])
  expect(new Set(ports).size).toBe(PROCESSES * PORTS_PER_PROCESS)
})
