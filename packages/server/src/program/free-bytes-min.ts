import { statfs } from 'node:fs/promises'
import type { Config } from './config.ts'

/** Room for at least two messages of the largest size and 5 % of the disk, but at most 1 GiB. Below it, mail is refused. */
export async function readFreeBytesMin(
  config: Pick<Config, 'dataDir' | 'diskFreeMinBytes' | 'smtpMaxSizeBytes'>,
): Promise<number> {
  const disk = await statfs(config.dataDir)
  const share = Math.min(disk.blocks * disk.bsize * 0.05, 1024 ** 3)
  return config.diskFreeMinBytes ?? Math.max(2 * config.smtpMaxSizeBytes, share)
}
