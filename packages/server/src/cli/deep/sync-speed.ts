import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, joined, ok, skip, warn, type Finding } from '../finding.ts'
import { receivesMail, type Installation } from './installation.ts'

const WRITES_MAX = 100
/** Enough writes for a median, even on a slow disk. */
const MEASURE_MS_MAX = 3_000
/** As large as a short mail. */
const WRITE_BYTES = 2_048
/** What a sender waits for before its 250: one commit of inbox.db, or a file and its folder for the mail and its metadata. */
const SYNCS_PER_MAIL = { database: 1, folder: 4 }
/** On one connection. With fewer, a test suite that sends a few hundred mails waits seconds for the disk. */
const MAILS_PER_SECOND_MIN = 50
/** Other processes wait 5 s for a write to SQLite, and a message must be stored within 8 s. */
const SLOWEST_MS_MAX = 1_000
/** From statfs(2). SQLite's locks do not work on a network file system, and memory does not survive a restart. */
const NETWORK_FILE_SYSTEMS = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x00c36400]
const FILE_SYSTEMS_IN_MEMORY = [0x01021994, 0x858458f6]

type SyncedFolder = { path: string; kind: keyof typeof SYNCS_PER_MAIL }

/** Replaced in tests by a slow disk. */
type OpenFiles = { open: typeof open }

export async function checkSyncSpeed(installation: Installation, files: OpenFiles = { open }): Promise<Finding> {
  const folders = syncedFolders(installation)
  if (folders.length === 0) return skip('this program stores nothing on a disk of this machine')
  return joined(await Promise.all(folders.map((folder) => checkFolder(folder, files))))
}

/** Where something must be on disk before it is acknowledged. */
function syncedFolders(installation: Installation): SyncedFolder[] {
  const { config, database } = installation
  const { storage, dataDir } = config
  const hasFile = (database !== null && 'file' in database) || (receivesMail(installation) && storage === null)
  return [
    ...(hasFile ? [{ path: dataDir, kind: 'database' as const }] : []),
    ...(receivesMail(installation) && storage?.kind === 'folder'
      ? [{ path: storage.path, kind: 'folder' as const }]
      : []),
  ]
}

async function checkFolder({ path, kind }: SyncedFolder, files: OpenFiles): Promise<Finding> {
  if (!existsSync(path)) return skip(`${path} does not exist yet: the first start creates it`)
  const type = (await statfs(path)).type >>> 0
  if (kind === 'database' && NETWORK_FILE_SYSTEMS.includes(type)) {
    return fail(`${path} is on a network file system`, 'SQLite needs a local disk: choose another DATA_DIR.')
  }
  const { medianMs, slowestMs, count } = await measure(path, files)
  const rate = Math.floor(1_000 / (SYNCS_PER_MAIL[kind] * medianMs))
  const figures = { medianMs: round(medianMs), p99Ms: round(slowestMs), writes: count, mailsPerSecond: rate }
  const says =
    `${path} syncs in ${figures.medianMs} ms (median), ${figures.p99Ms} ms (p99 of ${count}): ` +
    `up to ${rate} mails a second on one connection`
  if (rate < MAILS_PER_SECOND_MIN || slowestMs > SLOWEST_MS_MAX) {
    return warn(says, 'Every mail waits for the disk: use a faster one, or one that fewer programs share.', figures)
  }
  if (FILE_SYSTEMS_IN_MEMORY.includes(type)) {
    return warn(`${says}; it is in memory`, 'Mail would not survive a restart of the machine: use a disk.', figures)
  }
  return ok(says, figures)
}

/** The file is removed also if a write fails. A disk that hangs keeps it, and this process, until it responds. */
async function measure(
  folder: string,
  files: OpenFiles,
): Promise<{ medianMs: number; slowestMs: number; count: number }> {
  const path = join(folder, `doctor-${randomUUID()}`)
  const times: number[] = []
  const file = await files.open(path, 'wx', 0o600)
  try {
    const until = performance.now() + MEASURE_MS_MAX
    while (times.length < WRITES_MAX && (times.length === 0 || performance.now() < until)) {
      // Appended, as to a write-ahead log.
      await file.write(randomBytes(WRITE_BYTES))
      const startedAt = performance.now()
      await file.sync()
      times.push(performance.now() - startedAt)
    }
  } finally {
    await rm(path, { force: true })
    await file.close()
  }
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  return { medianMs: at(0.5), slowestMs: at(0.99), count: times.length }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
