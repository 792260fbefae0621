import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { node20 } from '../../sdk/test/support/node-20.ts'
import { installPackedSdk } from '../../sdk/test/support/packed-sdk.ts'
import { startServer, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, 'support/sdk-behaviour.mjs')

test('the packed SDK works the same on Node 20 and 24, with import and require', async () => {
  const { url, apiKey } = await startServer()
  const folder = temporaryFolder()
  await installPackedSdk(folder)
  for (const [node, version] of [
    [await node20(), 'v20.20.2'],
    [process.execPath, process.version],
  ] as const) {
    for (const way of ['import', 'require']) {
      const { stdout } = await run(node, [SCRIPT, way, folder, url, apiKey, WEBHOOK_SECRET])
      expect(stdout).toBe(`${version} ${way} fine\n`)
    }
  }
})
