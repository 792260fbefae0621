import type { Hono } from 'hono'
import { rotateKey, type KeyMaking, type KeyRotated } from '../../manage/keys.ts'
import type { Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { presentKey } from '../present.ts'
import { requireChange } from '../view.ts'

type Ports = KeyMaking & {
  store: Pick<Store, 'rotateKey'>
  keyRotated: KeyRotated
  endKey: (keyId: string) => void
}

export function addKeyRoutes(app: Hono<ApiEnvironment>, ports: Ports): void {
  app.post('/v1/api-keys/rotate', async (context) => {
    const principal = context.get('principal')
    requireChange(principal)
    const { key, masked } = await rotateKey(ports, principal)
    // Streams that were opened with the old value end now rather than at the next look.
    ports.endKey(principal.keyId)
    const { keyId: id, keyName: name, scopes, mailbox, expiresAt } = principal
    const apiKey = presentKey({ id, name, masked, scopes, mailboxName: mailbox?.name ?? null, expiresAt })
    return context.json({ data: { key, apiKey } })
  })
}
