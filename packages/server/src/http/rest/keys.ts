import type { ApiKey } from '@mailhatch/sdk'
import type { Hono } from 'hono'
import { rotateKey, type KeyMaking } from '../../manage/keys.ts'
import type { Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { isoTime } from '../present.ts'
import { requireChange } from '../view.ts'

type Ports = KeyMaking & { store: Pick<Store, 'rotateKey'>; endKey: (keyId: string) => void }

export function addKeyRoutes(app: Hono<ApiEnvironment>, ports: Ports): void {
  app.post('/v1/api-keys/rotate', async (context) => {
    const principal = context.get('principal')
    requireChange(principal)
    const { key, masked } = await rotateKey(ports, principal)
    // Streams that were opened with the old value end now rather than at the next look.
    ports.endKey(principal.keyId)
    const apiKey: ApiKey = {
      id: principal.keyId,
      name: principal.keyName,
      keyMasked: masked,
      scopes: principal.scopes,
      mailboxName: principal.mailbox?.name ?? null,
      expiresAt: principal.expiresAt === null ? null : isoTime(principal.expiresAt),
    }
    return context.json({ data: { key, apiKey } })
  })
}
