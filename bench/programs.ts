import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that has not started by then has failed. */
const START_MS_MAX = 20_000
const POLL_MS = 2
/** SIGKILL follows after this time. */
const STOP_MS_MAX = 10_000

export type Program = {
  name: string
  pid: number
  stop: () => Promise<void>
  /** `kill -9`; resolves when the process is gone. */
  kill: () => Promise<void>
}

const running = new Map<number, { child: ChildProcess; program: Program }>()

// Leave no processes behind, even if the benchmark fails or is interrupted.
process.on('exit', () => {
  for (const { child } of running.values()) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Stops all running programs, for example after a failed measure. */
export async function stopPrograms(): Promise<void> {
  await Promise.all(Array.from(running.values(), ({ program }) => program.stop()))
}

export type StartOptions = {
  name: string
  command: string
  args: string[]
  /** In addition to PATH and HOME. Other variables are not inherited, because they might be settings. */
  environment?: Record<string, string>
  folder: string
}

/** Starts a program. `output` waits for a pattern in its output, `listening` for an open port. */
export function startProgram({ name, command, args, environment, folder }: StartOptions) {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, TMPDIR: folder, ...environment }
  const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const program = keepTrack(name, child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    // Bounded; enough to show why the program did not start.
    stream.on('data', (chunk: Buffer) => {
      if (printed.length < 64 * 1024) printed += chunk.toString()
    })
  }

  /** Polls until there is a result; fails if the program exits or takes too long. */
  async function until<Result>(poll: () => Promise<Result | null> | Result | null): Promise<Result> {
    const deadline = performance.now() + START_MS_MAX
    while (performance.now() < deadline && child.exitCode === null) {
      const result = await poll()
      if (result !== null) return result
      await sleep(POLL_MS)
    }
    await program.stop()
    throw new Error(`${name} did not start:\n${printed}`)
  }

  return {
    ...program,
    output: (pattern: RegExp) => until(() => pattern.exec(printed)),
    listening: (port: number) => until(async () => ((await canConnect(port)) ? true : null)),
  }
}

export function keepTrack(name: string, child: ChildProcess): Program {
  // The missing pid below reports the failure. Without a listener, the event would crash the benchmark.
  child.on('error', () => {})
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} could not be started.`)
  const exited = once(child, 'exit').then(() => running.delete(pid))
  const program = {
    name,
    pid,
    async stop() {
      if (!running.has(pid)) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      await exited
      clearTimeout(timer)
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
  running.set(pid, { child, program })
  return program
}

/** For programs that do not support port 0. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** Retries, because a program that was just stopped may still be writing. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('Reading the memory of a process is only supported on Linux.')
  return Number(kilobytes) / 1024
}
