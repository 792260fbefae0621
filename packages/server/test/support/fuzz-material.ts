import { onTestFinished } from 'vitest'
import { store } from './announce.ts'
import { reader } from './ask.ts'
import { API_KEY } from './child-server.ts'
import type { FuzzMaterial } from './fuzz-request.ts'
import { openPeople } from './people.ts'
import { runForJson } from './program.ts'
import { WEBHOOK_SECRET } from './server.ts'

/** Messages and mailboxes as targets, keys of all kinds, and a session of another team. */
export async function prepareFuzz(url: string, dataDir: string): Promise<FuzzMaterial> {
  for (let number = 0; number < 60; number += 1) await store(url, { mailbox: `fuzz-${number % 20}`, tag: 't' })
  const { data } = await reader(url, API_KEY).list({ limit: 60 })
  const makeKey = async (scope: string) => {
    const words = ['keys', 'create', '--scope', scope, '--json']
    return (await runForJson<{ key: string }>(words, { DATA_DIR: dataDir })).key
  }
  const keys = { rotatingKey: await makeKey('api.full'), readingKey: await makeKey('email.full') }
  // The commands above need to be told the team once there are two.
  const people = await openPeople({ url, dataDir }, onTestFinished)
  const { owner } = await people.newTeam()
  return {
    key: API_KEY,
    ...keys,
    secret: WEBHOOK_SECRET,
    session: owner.headers,
    messageIds: data.map(({ id }) => id),
    mailboxIds: [...new Set(data.map(({ mailboxId }) => mailboxId))],
  }
}
