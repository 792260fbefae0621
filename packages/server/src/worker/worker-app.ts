import { Hono } from 'hono'
import { answerErrors, commonRefusalFor, type AnswerEnvironment } from '../answer-errors.ts'
import type { Log } from '../log.ts'
import type { Meters } from '../meters.ts'
import { addAdminRoutes, type AdminPorts } from './admin.ts'

export type WorkerAppPorts = AdminPorts & {
  /** What keeps the worker from being ready. */
  findTroubles: () => Promise<string[]>
  /** What the program counts of itself; null where it does not. */
  meters: Pick<Meters, 'text' | 'contentType'> | null
  log: Pick<Log, 'error'>
}

/** The worker's own HTTP, the same on Node and on Cloudflare: its health check and its admin API. */
export function createWorkerApp(ports: WorkerAppPorts): Hono<AnswerEnvironment> {
  const app = new Hono<AnswerEnvironment>()
  answerErrors(app, { log: ports.log, newRequestId: () => crypto.randomUUID(), refusalFor: commonRefusalFor })
  app.get('/health', (context) => context.json({ ok: true }))
  app.get('/ready', async (context) => {
    const troubles = await ports.findTroubles()
    return context.json({ ok: troubles.length === 0, troubles }, troubles.length === 0 ? 200 : 503)
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
