import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { addMailbox, addTeam, messageFor, newId } from '../../src/store/store-contract.ts'
import type { NewKey } from '../../src/store/mailboxes.ts'
import type { Store } from '../../src/store/store.ts'
import { attemptOf, eventFor, newEndpoint } from '../../src/store/webhook-contract.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const LARGE = 900_000

export function openSqliteStore(dataDir: string, options: { blockSize?: number } = {}): Store {
  return createSqlStore(openSqliteDatabase(join(dataDir, 'mailhatch.db')), {
    onError(error) {
      throw error
    },
    ...options,
  })
}

/** A data folder after some use: two teams, some of everything, and the given number of messages. */
export async function growInstall(dataDir: string, messages: number) {
  const store = openSqliteStore(dataDir)
  const first = await addTeam(store, { name: 'First', domain: 'first.test' })
  const second = await addTeam(store, { name: 'Second "of two"', domain: 'second.test', retentionDays: 30 })
  const qa = await addMailbox(store, first, 'qa')
  const ops = await addMailbox(store, second, 'ops')
  const old = await addMailbox(store, second, 'old')
  const endpoints = await addEndpoints(store, second.id)
  await store.addMessage(
    qa,
    messageFor(qa, { subject: 'Your code is 482913', text: `Grüße 👋 ${'lorem ipsum '.repeat(150)}` }),
  )
  await store.addMessage(
    ops,
    messageFor(ops, { tag: 'login', text: null, html: '<p>"\\ \u2028 \'</p>', size: null }),
    endpoints.event(),
  )
  await store.addMessage(
    ops,
    messageFor(ops, { html: 'x'.repeat(LARGE), text: 'Ä'.repeat(LARGE), fromName: 'Ærø' }),
    endpoints.event(),
  )
  await store.markMessages(second.id, [1], true)
  await store.addMessage(old, messageFor(old), endpoints.event())
  const gone = messageFor(ops)
  const position = await store.addMessage(ops, gone, endpoints.event())
  await store.removeMessages(second.id, [position as number], NOW)
  await store.hideMailbox({ teamId: second.id, id: old.id }, NOW)
  await store.addRejections([
    { at: NOW, domain: 'second.test', from: 'a@b.example', to: 'x@second.test', code: '550', reason: 'no' },
    { at: NOW, domain: 'nobody.test', from: '', to: 'x@nobody.test', code: 'domain_unknown', reason: 'Nobody has it.' },
  ])
  await endpoints.send()
  await store.addKey(keyOf(first.id, null))
  await store.addKey(keyOf(second.id, ops.id))
  await store.close()
  cloneMessages(join(dataDir, 'mailhatch.db'), first.id, messages)
  await markSome(dataDir, first.id)
  return { first, second, goneId: gone.id }
}

/** The first half is read, except for one message, which has tags. */
async function markSome(dataDir: string, teamId: string): Promise<void> {
  // No block is complete, so nothing is indexed meanwhile.
  const store = openSqliteStore(dataDir, { blockSize: Number.MAX_SAFE_INTEGER })
  const half = Math.floor((await store.newestPosition(teamId)) / 2)
  await store.markAllRead(teamId, half)
  await store.markMessages(teamId, [half], false)
  await store.setTags(teamId, [{ position: half, tags: ['blue', 'Red'] }], null)
  await store.close()
}

/** Two endpoints that receive the messages of the function. Afterwards one is being deleted. */
async function addEndpoints(store: Store, teamId: string) {
  const [told, removed] = [newEndpoint(teamId), newEndpoint(teamId)]
  await store.addEndpoint({ ...told, description: 'Grüße 👋', tag: 'login' }, 20)
  await store.addEndpoint(removed, 20)
  return {
    event: () => eventFor([told.id, removed.id]),
    /** Leaves deliveries in every state, one of them leased by a sender that was killed. */
    async send() {
      await store.hideEndpoint({ teamId, id: removed.id }, NOW)
      const lease = { owner: 'killed', at: NOW, leaseMs: 60_000, perEndpoint: 5, oneAtATime: [], limit: 3 }
      const [well, failed] = await store.leaseDeliveries(lease)
      await store.finishAttempt('killed', attemptOf(well!))
      await store.finishAttempt('killed', attemptOf(failed!, { outcome: { status: 'failed' }, error: 'no' }))
    },
  }
}

function keyOf(teamId: string, mailboxId: string | null): NewKey {
  const id = newId()
  const named = { id, teamId, mailboxId, name: 'ci', masked: 'mh_…', hash: `hash of ${id}` }
  return { ...named, scopes: ['email.full'], expiresAt: null, createdAt: NOW }
}

/** The team's first message, many times, with different ids, positions, tags and times. */
function cloneMessages(file: string, teamId: string, count: number): void {
  const connection = new DatabaseSync(file)
  connection.exec('begin')
  const columns = `mailbox_with_tag, domain, tenant_subdomain, sender, sender_name, recipient, size, attachment_count,
    sender_folded, recipient_folded, mailbox_with_tag_folded, object_mailbox`
  connection
    .prepare(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
       insert into messages (team_id, position, id, mailbox_id, tag, subject, subject_folded, received_at, stored_at,
                             ${columns})
       select team_id, position + n, id || '-' || n, mailbox_id, case when n % 3 = 0 then 'tag' || (n % 50) end,
              subject || n, subject_folded || n, received_at + n, stored_at + n, ${columns}
       from messages, numbers where team_id = ? and position = 1 order by n`,
    )
    .run(count, teamId)
  connection
    .prepare(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
       insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope, parse)
       select team_id, position + n, headers, html, n || text, n || body_folded, codes, links, attachments, envelope, parse
       from message_contents, numbers
       where team_id = ? and position = 1 order by n`,
    )
    .run(count, teamId)
  connection
    .prepare(
      'update team_state set last_position = last_position + ?, message_count = message_count + ? where team_id = ?',
    )
    .run(count, count, teamId)
  connection.exec('commit')
  connection.close()
}
