import { timingSafeEqual } from 'node:crypto'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from './log.ts'
import type { KeyRotated } from './manage/keys.ts'
import { syncFolder } from './sqlite/connection.ts'

/** In DATA_DIR: the key of the first start, for people and programs on the same machine. */
export const KEY_FILE = 'api-key'

type Ports = { path: string; hashKey: (key: string) => string; log: Pick<Log, 'error'> }

/** The file gets the new value of a key whose old value it holds; another key's stays out of it. */
export function createKeyFile({ path, hashKey, log }: Ports): KeyRotated {
  return async ({ oldHash, key }) => {
    try {
      const kept = await readFile(path, 'utf8').catch(() => null)
      if (kept !== null && isSame(hashKey(kept.trim()), oldHash)) await writePrivately(path, `${key}\n`)
    } catch (error) {
      log.error({ err: error, path }, 'the key was rotated, but its file still has the old value')
    }
  }
}

/** Whole or not at all, for this user's eyes only. */
export async function writePrivately(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  await file.writeFile(content)
  await file.sync()
  await file.close()
  await chmod(temporary, 0o600)
  await rename(temporary, path)
  syncFolder(dirname(path))
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
