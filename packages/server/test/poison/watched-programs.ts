import { Mailhatch } from '@mailhatch/sdk'
import { onTestFinished } from 'vitest'
import type { Installation } from '../crash/installations.ts'
import { ADMIN_TOKEN } from '../support/admin-subject.ts'
import { spawnServer, type ChildOptions, type ChildServer } from '../support/child-server.ts'
import type { WhenOver } from '../support/file-life.ts'
import { freePort } from '../support/free-port.ts'
import { operatorAt } from '../support/operator.ts'
import { preload } from '../support/preload.ts'

/** Small, so that memory is exhausted in a second. An idle program uses less than half. */
const HEAP_MEGABYTES = 160

/** A blocked program does not respond. */
const RESPONSE_MS_MAX = 15_000

export type WatchedPrograms = Awaited<ReturnType<typeof startWatched>>

/** The programs of an installation on fixed ports, restarted when they end, as a supervisor does. */
export async function startWatched({ programs, smtpProgram, apiKey, domain }: Installation, preloads: string[]) {
  const ports = { api: await freePort(), smtp: await freePort(), worker: await freePort() }
  // With worker and API apart, the port of the API is fixed already.
  const apiPort = Number(programs.find(({ environment }) => environment['PORT'])?.environment['PORT'] ?? ports.api)
  const settings = {
    PORT: String(apiPort),
    SMTP_PORT: String(ports.smtp),
    WORKER_PORT: String(ports.worker),
    ADMIN_TOKEN,
    RATE_LIMIT: 'off',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1',
  }
  const running = new Map<number, ChildServer>()
  const output: string[] = []
  let [ends, isOver] = [0, false]

  async function start(index: number, names: string[]): Promise<void> {
    const { environment, ...given } = programs[index]!
    const nodeArguments = [
      `--max-old-space-size=${HEAP_MEGABYTES}`,
      ...preload(...names.map((name) => `poison/${name}.ts`)),
    ]
    const whenOver: WhenOver = (kill) =>
      onTestFinished(() => {
        isOver = true
        return kill()
      })
    const options: ChildOptions = { ...given, nodeArguments, environment: { ...environment, ...settings }, whenOver }
    const server = spawnServer(options)
    running.set(index, server)
    server.process.stderr!.on('data', (text: Buffer) => output.push(text.toString()))
    server.process.once('exit', () => {
      if (isOver || running.get(index) !== server) return
      ends++
      void start(index, names).catch(() => {})
    })
    await server.ready
  }

  async function stopAll(): Promise<void> {
    const stopped = [...running.values()]
    running.clear()
    await Promise.all(stopped.map((server) => server.kill()))
  }

  const startAll = (names: string[]) => Promise.all(programs.map((_, index) => start(index, names)))
  await startAll(preloads)

  return {
    domain,
    smtpPort: ports.smtp,
    sdk: new Mailhatch({ url: `http://127.0.0.1:${apiPort}`, apiKey, timeout: RESPONSE_MS_MAX }),
    output: () => output.join(''),
    /** How often a program ended by itself. */
    ends: () => ends,
    operator: operatorAt(`http://127.0.0.1:${ports.worker}`, RESPONSE_MS_MAX),
    /** Restarts all programs, with other modules loaded first. */
    async restart(names: string[]) {
      await stopAll()
      await startAll(names)
    },
    /** Restarts the program that receives mail. */
    async restartWorker(names: string[], how: 'kill' | 'stop') {
      const server = running.get(smtpProgram)!
      running.delete(smtpProgram)
      await server[how]()
      await start(smtpProgram, names)
    },
    async stop() {
      isOver = true
      await stopAll()
    },
  }
}
