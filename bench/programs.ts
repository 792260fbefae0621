import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that has not come up by then will not. */
const START_MS_MAX = 20_000
const LOOK_EVERY_MS = 2
/** Then it is ended the hard way. */
const STOP_MS_MAX = 10_000

export type Program = { name: string; pid: number; stop: () => Promise<void> }

const running = new Map<number, { child: ChildProcess; program: Program }>()

// Also when the benchmark fails half-way or is interrupted, nothing that it started stays behind.
process.on('exit', () => {
  for (const { child } of running.values()) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Ends what is still running, after a measure that failed half-way above all. */
export async function stopPrograms(): Promise<void> {
  await Promise.all(Array.from(running.values(), ({ program }) => program.stop()))
}

export type StartOptions = {
  name: string
  command: string
  args: string[]
  /** Beyond PATH and HOME; the caller's other variables are not passed on, they might be settings. */
  environment?: Record<string, string>
  folder: string
}

/** Starts a program; `output` waits for something that it prints, `listening` for a port that it opens. */
export function startProgram({ name, command, args, environment, folder }: StartOptions) {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, TMPDIR: folder, ...environment }
  const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const program = keepTrack(name, child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    // Bounded: enough to tell why it did not start.
    stream.on('data', (chunk: Buffer) => {
      if (printed.length < 64 * 1024) printed += chunk.toString()
    })
  }

  /** Asks again and again until there is an answer; fails when the program ends or takes too long. */
  async function until<Answer>(look: () => Promise<Answer | null> | Answer | null): Promise<Answer> {
    const deadline = performance.now() + START_MS_MAX
    while (performance.now() < deadline && child.exitCode === null) {
      const answer = await look()
      if (answer !== null) return answer
      await sleep(LOOK_EVERY_MS)
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
  // The missing pid below says the same; without a listener the event would end the benchmark.
  child.on('error', () => {})
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} cannot be started.`)
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
  }
  running.set(pid, { child, program })
  return program
}

/** For programs that cannot take port 0 themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address of this kind.
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

/** A program that was just ended may still be writing; the removal is tried again then. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('The memory of a process can be read on Linux only.')
  return Number(kilobytes) / 1024
}
