import type { Rejection as PresentedRejection } from '@mailhatch/sdk'
import type { Hono } from 'hono'
import type { Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { readRejectionsParams, searchParams } from '../message-params.ts'
import { isoTime } from '../present.ts'
import { requireChange } from '../view.ts'

export function addRejectionRoutes(
  app: Hono<ApiEnvironment>,
  { store }: { store: Pick<Store, 'listRejections'> },
): void {
  app.get('/v1/rejections', async (context) => {
    const principal = context.get('principal')
    const params = readRejectionsParams(searchParams(context.req.url))
    requireChange(principal)
    const rejections = await store.listRejections(principal.team.id, params)
    const data = rejections.map(({ at, ...rest }): PresentedRejection => ({ at: isoTime(at), ...rest }))
    return context.json({ data })
  })
}
