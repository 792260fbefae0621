import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startChild } from '../support/child-server.ts'
import { keptLogger, madeSecret } from '../support/made-secrets.ts'
import { startServer, temporaryFolder } from '../support/server.ts'
import { searchLogs } from './search-logs.ts'

/** As `npm run prove` sets it for a part. */
function logsOf(part: string, run: string): string {
  const folder = join(run, part)
  mkdirSync(folder)
  vi.stubEnv('PROVE_LOGS', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}

test('the key of a server in the process of a part is searched for in the log of that process', async () => {
  const folder = logsOf('access', temporaryFolder())
  const { apiKey } = await startServer()
  const log = keptLogger('debug')
  log.debug({}, 'nothing')
  expect(await searchLogs([folder])).toMatchObject({ logs: [expect.stringMatching(/^access\/stderr-/)], found: [] })
  log.debug({ apiKey }, 'a key')
  expect((await searchLogs([folder])).found).toHaveLength(1)
})

test('a secret of one part is found in the log of another, and not in parts that are not named', async () => {
  const run = temporaryFolder()
  const before = logsOf('kill', run)
  const secret = madeSecret('a secret that is long enough')
  const after = logsOf('smtp', run)
  keptLogger('debug').info({ secret }, 'a secret')
  expect((await searchLogs([before, after])).found).toEqual([
    expect.stringMatching(/^smtp\/stderr-.*:a secret that is lo/),
  ])
  expect((await searchLogs([before])).found).toEqual([])
})

test('in a run, a program logs more than errors, and only its errors are complaints', async () => {
  const folder = logsOf('kill', temporaryFolder())
  const server = await startChild({ environment: { DATA_DIR: temporaryFolder() } })
  await server.stop()
  const [log] = globSync('stderr-*.log', { cwd: folder })
  expect(readFileSync(join(folder, log!), 'utf8')).toContain('"msg":"stopping"')
  expect(server.complaints()).toBe('')
})
