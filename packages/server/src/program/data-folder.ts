import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from './config.ts'
import { syncFolder } from '../sqlite/connection.ts'

/** The path of a file in the data folder, which is created with access for its owner only. */
export function dataFile({ dataDir }: Config, name: string): string {
  const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // A new folder is durable only once its parent folder is synced.
  if (created) for (let path = dataDir; path.length >= created.length; path = dirname(path)) syncFolder(dirname(path))
  return join(dataDir, name)
}
