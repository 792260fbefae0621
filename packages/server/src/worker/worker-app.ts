import { Hono } from 'hono'

/** The worker's own HTTP: its health check, and the place of its admin API. */
export function createWorkerApp({ findTroubles }: { findTroubles: () => Promise<string[]> }): Hono {
  const app = new Hono()
  app.get('/health', (context) => context.json({ ok: true }))
  app.get('/ready', async (context) => {
    const troubles = await findTroubles()
    return context.json({ ok: troubles.length === 0, troubles }, troubles.length === 0 ? 200 : 503)
  })
  app.notFound((context) => context.json({ error: 'Not found', code: 'not_found' }, 404))
  app.onError((_, context) => context.json({ error: 'Something went wrong on our side.', code: 'internal' }, 500))
  return app
}
