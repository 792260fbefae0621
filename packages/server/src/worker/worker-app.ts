import { Hono } from 'hono'
import { answerErrors, commonRefusalFor, type AnswerEnvironment } from '../answer-errors.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import { addAdminRoutes, type AdminPorts } from './admin.ts'

export type WorkerAppPorts = AdminPorts & {
  /** What keeps the worker from being ready. */
  findProblems: () => Promise<string[]>
  /** The metrics of the program; null when they are off. */
  meters: Pick<Meters, 'text' | 'contentType'> | null
  log: Pick<Log, 'error'>
}

/** The worker's own HTTP routes on Node and Cloudflare: health checks, metrics and the admin API. */
export function createWorkerApp(ports: WorkerAppPorts): Hono<AnswerEnvironment> {
  const app = new Hono<AnswerEnvironment>()
  answerErrors(app, { log: ports.log, newRequestId: () => crypto.randomUUID(), refusalFor: commonRefusalFor })
  app.get('/health', (context) => context.json({ ok: true }))
  app.get('/ready', async (context) => {
    const problems = await ports.findProblems()
    return context.json({ ok: problems.length === 0, troubles: problems }, problems.length === 0 ? 200 : 503)
  })
  const { meters } = ports
  if (meters) {
    app.get('/metrics', async (context) =>
      context.body(await meters.text(), 200, { 'content-type': meters.contentType }),
    )
  }
  addAdminRoutes(app, ports)
  return app
}
