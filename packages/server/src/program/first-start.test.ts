import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { readConfig } from './config.ts'
import { ensureSecrets } from './first-start.ts'
import type * as Connection from '../sqlite/connection.ts'

/** Folders that were synced while they contained the secrets. Only then do the secrets survive a power cut. */
const holding: string[] = []

vi.mock('../sqlite/connection.ts', async (importOriginal) => {
  const connection = await importOriginal<typeof Connection>()
  return {
    ...connection,
    syncFolder(folder: string) {
      connection.syncFolder(folder)
      if (existsSync(join(folder, 'secrets.json'))) holding.push(folder)
    },
  }
})

test('secrets are synced to the disk before they are used', async () => {
  const dataDir = temporaryFolder()
  const config = readConfig('serve', { DATA_DIR: dataDir })
  const made = await ensureSecrets(config, ['secretKey'])
  expect(JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'))).toEqual(made)
  expect(holding).toEqual([dataDir])
})
