import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './server.ts'

/** Sparse: only what is written takes space. */
const IMAGE_BYTES = 2 * 1024 ** 3
/** All at once, so that nothing but the tested program writes later. */
const MKFS_OPTIONS = ['-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0']
const POLL_MS = 2

const run = promisify(execFile)

export type CuttableDisk = Awaited<ReturnType<typeof mountCuttableDisk>>

/**
 * A disk whose power can be cut: ext4 in an image file on a loop device. What the file system has not handed to the device
 * is in memory only, and the copy of the image does not have it. The disk itself loses nothing that was handed to it,
 * like one whose own cache survives. Removed when the test ends.
 */
export async function mountCuttableDisk() {
  requireLoopDevices()
  const home = temporaryFolder()
  const folder = join(home, 'disk')
  mkdirSync(folder)
  let cuts = 0
  let image = join(home, `image-${cuts}`)
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  await run('mkfs.ext4', [...MKFS_OPTIONS, image])

  const mount = () => run('mount', ['-o', 'loop', image, folder])
  await mount()
  // Before its folder is deleted: the last registered function runs first. The loop device goes with the mount.
  onTestFinished(() => {
    if (isMounted(folder)) execFileSync('umount', ['--lazy', folder])
  })

  /** Again if the file system wrote meanwhile: a copy of two moments is no power cut. */
  async function copyImage(copy: string): Promise<void> {
    const { stdout } = await run('findmnt', ['--noheadings', '--output', 'SOURCE', folder])
    const statistics = `/sys/block/${basename(stdout.trim())}/stat`
    for (;;) {
      const before = writesOf(statistics)
      await run('cp', ['--sparse=always', image, copy])
      if (before !== null && before === writesOf(statistics)) return
    }
  }

  return {
    folder,
    /** Stops the processes, keeps only what the disk has, ends the processes with `end`, and mounts what was kept. */
    async cut(pids: number[], end: () => Promise<void>): Promise<void> {
      for (const pid of pids) await pause(pid)
      const copy = join(home, `image-${++cuts}`)
      await copyImage(copy)
      await end()
      await run('umount', [folder])
      rmSync(image)
      image = copy
      await mount()
    },
  }
}

function requireLoopDevices(): void {
  const missing = [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...(existsSync('/dev/loop-control') ? [] : ['loop devices (/dev/loop-control)']),
  ]
  if (missing.length === 0) return
  throw new Error(`A power cut cannot be tried here, because this is missing: ${missing.join(', ')}.`)
}

/** `SIGSTOP`; resolves when every thread has stopped, also one that was waiting for the disk. */
async function pause(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const threads = `/proc/${pid}/task`
  const isStopped = (thread: string) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8'))
  while (!readdirSync(threads).every(isStopped)) await delay(POLL_MS)
}

/** The number of writes that a device has completed; null while it writes. */
function writesOf(statistics: string): number | null {
  // Documentation/block/stat.rst: writes completed are the fifth number, requests in flight the ninth.
  const numbers = readFileSync(statistics, 'utf8').trim().split(/ +/).map(Number)
  return numbers[8] === 0 ? numbers[4]! : null
}

function isMounted(folder: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8').includes(` ${folder} `)
}
