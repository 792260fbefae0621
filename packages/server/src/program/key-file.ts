import { timingSafeEqual } from 'node:crypto'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '../observe/log.ts'
import type { KeyRotated } from '../manage/keys.ts'
import { syncFolder } from '../sqlite/connection.ts'

/** File in DATA_DIR with the key of the first start, for users and programs on the same machine. */
export const KEY_FILE = 'api-key'

type Ports = { path: string; hashKey: (key: string) => string; log: Pick<Log, 'error'> }

/** Updates the file when the key it contains is rotated. Ignores other keys. */
export function createKeyFile({ path, hashKey, log }: Ports): KeyRotated {
  return async ({ oldHash, key }) => {
    try {
      const stored = await readFile(path, 'utf8').catch(() => null)
      if (stored !== null && isSame(hashKey(stored.trim()), oldHash)) await writePrivately(path, `${key}\n`)
    } catch (error) {
      log.error({ err: error, path }, 'the key was rotated, but its file still contains the old value')
    }
  }
}

/** Writes the file atomically with mode 0600. */
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
