import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { sql } from '../store/sql.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { NOW, startWebhooks } from '../store/webhook-contract.ts'
import { sweepWebhooks } from './webhook-sweep.ts'

test('the sweep finishes the deletion of deliveries of deleted and disabled endpoints', async () => {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const { store, team, addEndpoint, deliver, list } = await startWebhooks(async () =>
    createSqlStore(database, {
      onError(error) {
        throw error
      },
    }),
  )
  onTestFinished(() => store.close())
  const [removed, off, on] = [await addEndpoint(), await addEndpoint(), await addEndpoint()]
  await deliver([removed.id, off.id, on.id], 2)
  await store.hideEndpoint({ teamId: team.id, id: removed.id }, NOW)
  // The state after a crash between disabling the endpoint and failing its deliveries.
  await database.write(sql`update webhook_endpoints set is_active = 0 where team_id = ${team.id} and id = ${off.id}`)
  await sweepWebhooks({ store, log: { warn() {} }, now: () => NOW }, async (step) => {
    while (await step());
  })
  expect(await store.removedEndpoints(team.id)).toEqual([])
  expect(await list(removed.id)).toEqual([])
  expect((await list(off.id)).map(({ status, error }) => [status, error])).toEqual(
    Array.from({ length: 2 }, () => ['failed', 'endpoint inactive']),
  )
  expect(await list(on.id, 'pending')).toHaveLength(2)
})
