import type { Me } from '@mailhatch/sdk'
import type { Hono } from 'hono'
import { formatCursor } from '../../domain/cursor.ts'
import { oldestVisible, retentionDays } from '../../domain/plans.ts'
import type { Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { requireRead } from '../view.ts'

type Ports = { store: Pick<Store, 'newestPosition' | 'countMessages'>; rootDomain: string; now: () => number }

export function addMeRoute(app: Hono<ApiEnvironment>, { store, rootDomain, now }: Ports): void {
  app.get('/v1/me', async (context) => {
    const principal = context.get('principal')
    requireRead(principal)
    const { team, mailbox, keyId, keyName, scopes } = principal
    const data: Me = {
      team: {
        id: team.id,
        name: team.name,
        plan: team.plan,
        retentionDays: retentionDays(team),
        domain: team.domain ?? rootDomain,
      },
      key: { id: keyId, name: keyName, scopes, mailbox: mailbox?.name ?? null },
      messageCount: await store.countMessages({
        teamId: team.id,
        oldestReceivedAt: oldestVisible(team, now()),
        filter: mailbox ? { mailboxId: mailbox.id } : {},
      }),
      cursor: formatCursor(await store.newestPosition(team.id)),
    }
    return context.json({ data })
  })
}
