import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { readFreeBytesMin } from '../../program/free-bytes-min.ts'
import { WAITS_PER_KEY_MAX } from '../../read/wait.ts'
import { DEFAULT_LIMITS } from '../../worker/smtp/limits.ts'
import { sizeText } from '../human.ts'
import { fail, joined, ok, skip, warn, type Finding } from '../finding.ts'
import { receivesMail, type Installation } from './installation.ts'
import { findServerProcess, type ServerProcess } from './server-process.ts'

/** Databases, logs, threads, and connections to PostgreSQL, S3 and webhook endpoints. */
const FILES_OF_PROGRAM = 300
/** An idle server has about 150 MB. With all the mail that may be buffered, it must stay below 80 %. */
const MEMORY_BYTES_MIN = (150_000_000 + DEFAULT_LIMITS.memoryBytesMax) / 0.8
/** A mail in a folder is two files. A database needs few. */
const FREE_FILES_MIN = { folder: 20_000, database: 100 }
/** What the file spare-room reserves must fit beside it, see program/spare-room.ts. */
const SPARE_ROOM = 'spare-room'

export async function checkFiles(
  installation: Installation,
  { pid, filesMax, filesOpen }: ServerProcess = findServerProcess(installation),
): Promise<Finding> {
  if (filesMax === null) return skip('this system does not show the limit of open files')
  const needed = filesNeeded(installation)
  const whose = pid === null ? 'this shell; a server may have another limit' : `the server, process ${pid}`
  const open = filesOpen === null ? '' : `, ${filesOpen} open`
  const says = `${filesMax} open files are allowed (${whose})${open}; the limits of the program need up to ${needed}`
  const figures = { filesMax, filesNeeded: needed, ...(filesOpen !== null && { filesOpen }) }
  if (filesMax >= needed) return ok(says, figures)
  return warn(says, 'Raise it: LimitNOFILE= in a systemd unit, --ulimit nofile= of Docker, or ulimit -n.', figures)
}

/** A socket per SMTP connection and a spool file for its mail, and a socket per wait of one key. */
function filesNeeded(installation: Installation): number {
  const ofWorker = receivesMail(installation) ? 2 * DEFAULT_LIMITS.connectionsMax : 0
  const ofApi = installation.program === 'worker' ? 0 : WAITS_PER_KEY_MAX
  return FILES_OF_PROGRAM + ofWorker + ofApi
}

export async function checkMemory(
  installation: Installation,
  { pid, memoryBytesMax }: ServerProcess = findServerProcess(installation),
): Promise<Finding> {
  const whose = pid === null ? 'this shell' : `the server, process ${pid}`
  const says = `${sizeText(memoryBytesMax)} of memory (${whose}); new work is refused above 80 % of it`
  const figures = { memoryBytesMax }
  if (memoryBytesMax >= MEMORY_BYTES_MIN) return ok(says, figures)
  return warn(says, `Allow at least ${sizeText(MEMORY_BYTES_MIN)}: MemoryMax=, --memory or resources.limits.`, figures)
}

export async function checkDisk(installation: Installation): Promise<Finding> {
  const { config, program, database } = installation
  const { dataDir, storage } = config
  if (program === 'api' && database !== null && 'url' in database) {
    return skip('this program stores nothing on a disk of this machine')
  }
  if (!existsSync(dataDir)) return skip(`${dataDir} does not exist yet: the first start creates it`)
  const freeBytesMin = await readFreeBytesMin(config)
  const folders = [dataDir, ...(receivesMail(installation) && storage?.kind === 'folder' ? [storage.path] : [])]
  const parts = folders.map(async (folder, index) => {
    if (!existsSync(folder)) return skip(`${folder} does not exist yet: the first start creates it`)
    const kind = index === 0 ? 'database' : 'folder'
    return joined([await checkSpace(installation, folder, freeBytesMin), await checkInodes(folder, kind)])
  })
  return joined([...(await Promise.all(parts)), checkSpareRoom(dataDir)])
}

async function checkSpace(installation: Installation, folder: string, freeBytesMin: number): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const freeBytes = bavail * bsize
  const figures = { freeBytes, freeBytesMin }
  const says = `${sizeText(freeBytes)} free for ${folder}`
  const advice = 'Free some space, or use a larger disk. Expired mail is deleted by itself.'
  if (freeBytes < freeBytesMin) {
    if (!receivesMail(installation)) return warn(`${says}, less than ${sizeText(freeBytesMin)}`, advice, figures)
    return fail(`${says}: below ${sizeText(freeBytesMin)} (DISK_FREE_MIN), mail is refused with 452`, advice, figures)
  }
  if (freeBytes < 2 * freeBytesMin) {
    return warn(`${says}; below ${sizeText(freeBytesMin)}, mail is refused with 452`, advice, figures)
  }
  return ok(says, figures)
}

async function checkInodes(folder: string, kind: keyof typeof FREE_FILES_MIN): Promise<Finding> {
  const { files, ffree } = await statfs(folder)
  // Some file systems create inodes as they need them.
  if (files === 0) return ok('any number of files')
  const figures = { freeInodes: ffree }
  if (ffree >= FREE_FILES_MIN[kind]) return ok(`room for ${ffree} files`, figures)
  return warn(
    `room for only ${ffree} files in ${folder}`,
    'Delete files, or use a file system with more inodes (df -i shows them).',
    figures,
  )
}

/** A start on a full disk deletes the file, to have room for what SQLite needs. */
function checkSpareRoom(dataDir: string): Finding {
  const hasDatabase = ['mailhatch.db', 'inbox.db'].some((name) => existsSync(join(dataDir, name)))
  if (!hasDatabase) return skip('no databases yet')
  if (existsSync(join(dataDir, SPARE_ROOM))) return ok('room for a start on a full disk is reserved')
  return warn(`${dataDir} has no room reserved for a start on a full disk`, 'The next start reserves it.')
}
