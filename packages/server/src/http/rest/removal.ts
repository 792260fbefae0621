import type { Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import { removeMatching, removeMessages, type RemovalPorts } from '../../manage/removal.ts'
import type { Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { readAsked } from '../asked-mailbox.ts'
import { readRemovalParams } from '../message-params.ts'
import { searchParams } from '../query.ts'
import { requireChange, viewOf } from '../view.ts'

type Ports = RemovalPorts & { store: Pick<Store, 'findMessage' | 'findTeamMailbox'> }

export function addRemovalRoutes(app: Hono<ApiEnvironment>, ports: Ports): void {
  app.delete('/v1/messages/:id', async (context) => {
    const principal = context.get('principal')
    requireChange(principal)
    const id = context.req.param('id').toLowerCase()
    const view = viewOf(principal, {}, ports.now())
    const message = isUuid(id) ? await ports.store.findMessage(view, id) : null
    const removed = message ? await removeMessages(ports, view.teamId, [message.position]) : 0
    if (removed === 0) throw new AppError('message_not_found', 'Not found')
    return context.json({ data: { id } })
  })

  app.delete('/v1/messages', async (context) => {
    const principal = context.get('principal')
    const { filter, after } = await readAsked(ports, principal, searchParams(context.req.url), readRemovalParams)
    requireChange(principal)
    const deleted = await removeMatching(ports, viewOf(principal, filter, ports.now()), after)
    return context.json({ data: { deleted } })
  })
}
