import { createApi } from '../../src/http/app.ts'
import type { ApiPorts } from '../../src/http/ports.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import { createWorkerApp, type WorkerAppPorts } from '../../src/worker/worker-app.ts'

export type Registered = { method: string; path: string }

/** No request is made, so these ports need no more than what registering reads. */
const API_PORTS = {
  keys: {},
  webhooks: {},
  teams: { billing: null },
  accounts: {},
  inbound: { webhookSecret: null, worker: null },
  observe: { meters: {} },
  site: { appUrl: 'http://localhost', allowedOrigins: [] },
}
const WORKER_PORTS = { settings: {}, meters: {} }

/** The dashboard answers in a middleware, because its pages have any path. */
const DASHBOARD: Registered = { method: 'GET', path: '/' }

/** Procedures declare their own access: session-matrix.ts. */
const PROCEDURES = '/trpc/*'

/** What the API answers besides the operations of the REST API and the procedures of the dashboard. */
export const OTHER_API_ROUTES: Registered[] = [DASHBOARD, ...otherApiRoutes()]

// As above.
export const WORKER_ROUTES: Registered[] = answering(createWorkerApp(WORKER_PORTS as unknown as WorkerAppPorts).routes)

function otherApiRoutes(): Registered[] {
  const operations = new Set(ROUTES.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1')))
  const { routes } = createApi(API_PORTS as unknown as ApiPorts)
  return answering(routes).filter(({ path }) => path !== PROCEDURES && !operations.has(path))
}

/** Without middleware, which is registered for all methods of a path and what is below it. */
export function answering(routes: Registered[]): Registered[] {
  const byName = new Map(routes.map(({ method, path }) => [`${method} ${path}`, { method, path }]))
  return Array.from(byName.values()).filter(({ method, path }) => method !== 'ALL' || !path.endsWith('*'))
}
