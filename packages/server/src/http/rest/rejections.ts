import type { Rejection as PresentedRejection } from '@mailhatch/sdk'
import type { Hono } from 'hono'
import type { Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { readRejectionsParams } from '../message-params.ts'
import { isoTime } from '../present.ts'
import { searchParams } from '../query.ts'
import { requireChange } from '../view.ts'

type Ports = {
  store: Pick<Store, 'listRejections' | 'findBootstrapTeam'>
  /** In the all-in-one program, the team of its first start sees what was refused for any domain. */
  isAllInOne: boolean
}

export function addRejectionRoutes(app: Hono<ApiEnvironment>, { store, isAllInOne }: Ports): void {
  app.get('/v1/rejections', async (context) => {
    const principal = context.get('principal')
    const params = readRejectionsParams(searchParams(context.req.url))
    requireChange(principal)
    const { id } = principal.team
    const seesAll = isAllInOne && (await store.findBootstrapTeam())?.id === id
    const rejections = await store.listRejections(seesAll ? null : id, params)
    const data = rejections.map(({ at, ...rest }): PresentedRejection => ({ at: isoTime(at), ...rest }))
    return context.json({ data })
  })
}
