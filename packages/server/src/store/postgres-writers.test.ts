import { expect, onTestFinished, test } from 'vitest'
import { dropTeamLock } from '../../test/replicas/cursor-run.ts'
import { administer, freshDatabase } from '../../test/support/postgres.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { createSqlStore } from './sql-store.ts'
import { addMailbox, addTeam, messageFor, newId } from './store-contract.ts'
import type { Mailbox, Team } from './mailboxes.ts'
import type { Store } from './store.ts'

type Beginning = { url: string; stores: Store[]; team: Team; mailbox: Mailbox }

/** Three stores on one database, as in three processes, and a team. */
async function start(): Promise<Beginning> {
  const url = await freshDatabase()
  const open = async () => {
    const store = createSqlStore(await openPostgresDatabase(url), {
      onError: (error) => expect.unreachable(String(error)),
    })
    onTestFinished(() => store.close())
    return store
  }
  const stores = await Promise.all([open(), open(), open()])
  const team = await addTeam(stores[0])
  return { url, stores, team, mailbox: await addMailbox(stores[0], team, 'qa') }
}

/** Every commit takes some time, and every message a different one. */
const LATE_COMMITS = `
  create function wait() returns trigger language plpgsql as $$
  begin
    perform pg_sleep(random() * 0.01);
    return null;
  end $$;
  create constraint trigger late_commit after insert on messages
  deferrable initially deferred for each row execute function wait()`

const WRITERS = 8
const MESSAGES_PER_WRITER = 30

/** Eight writers and one follower by position. Returns what was sent and what the follower saw. */
async function followWriters({
  stores,
  mailbox,
}: Beginning): Promise<{ sent: string[]; seen: string[]; positions: number[] }> {
  const sent: string[] = []
  const seen: string[] = []
  const positions: number[] = []
  let isWriting = true
  const write = async (writer: number) => {
    for (let count = 0; count < MESSAGES_PER_WRITER; count++) {
      const message = messageFor(mailbox)
      expect(await stores[writer % stores.length]!.addMessage(mailbox, message)).toBeTypeOf('number')
      sent.push(message.id)
    }
  }
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
    isWriting = false
  })
  for (let isLast = false; !isLast;) {
    // One more read after the last write.
    isLast = !isWriting
    const range = { after: positions.at(-1) ?? 0, limit: 10_000, withContent: false }
    for (const { id, position } of await stores[0]!.passingMessages(mailbox.teamId, range)) {
      seen.push(id)
      positions.push(position)
    }
  }
  await writing
  return { sent, seen, positions }
}

test('a reader that follows by position sees every message once and in order, with several writers and late commits', async () => {
  const beginning = await start()
  await administer(beginning.url, LATE_COMMITS)
  const { sent, seen, positions } = await followWriters(beginning)
  expect(seen.toSorted()).toEqual(sent.toSorted())
  expect(positions).toEqual(sent.map((_, index) => index + 1))
})

test('control: without the lock that orders commits, messages are missed', async () => {
  const unguarded = await start()
  await administer(unguarded.url, LATE_COMMITS)
  await dropTeamLock(unguarded.url)
  const { sent, seen } = await followWriters(unguarded)
  expect(sent).toHaveLength(WRITERS * MESSAGES_PER_WRITER)
  expect(seen.length).toBeLessThan(sent.length)
})

test('the same message, announced ten times at once by three processes, is stored and counted once', async () => {
  const { stores, team, mailbox } = await start()
  const messages = Array.from({ length: 50 }, () => messageFor(mailbox))
  const outcomes = await Promise.all(
    messages.flatMap((message) =>
      Array.from({ length: 10 }, (_, number) => stores[number % stores.length]!.addMessage(mailbox, message)),
    ),
  )
  expect(outcomes.filter((outcome) => typeof outcome === 'number').toSorted((a, b) => a - b)).toEqual(
    messages.map((_, index) => index + 1),
  )
  expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(450)
  expect(await stores[1]!.newestPosition(team.id)).toBe(50)
  expect(await stores[2]!.countMessages({ teamId: team.id, oldestReceivedAt: 0, filter: {} })).toBe(50)
})

test('limit: concurrent processes create as many mailboxes as the plan allows', async () => {
  const { stores, team, mailbox } = await start()
  const wishes = Array.from({ length: 20 }, (_, number) => ({ ...mailbox, id: newId(), name: `box-${number}` }))
  const outcomes = await Promise.all(wishes.map((wish, number) => stores[number % stores.length]!.addMailbox(wish, 5)))
  expect(outcomes.filter((outcome) => outcome === 'limit')).toHaveLength(16)
  expect(await stores[0]!.listMailboxes(team.id)).toHaveLength(5)
})

test.each([
  ['renamed', (store: Store, mailbox: Mailbox) => store.renameMailbox(mailbox, { name: 'renamed', at: 5 })],
  ['removed', (store: Store, { id, teamId }: Mailbox) => store.hideMailbox({ id, teamId }, 5)],
])('a mailbox that is %s while mail arrives keeps all of it or refuses it', async (_, change) => {
  const { stores, team, mailbox } = await start()
  const added: Promise<number | 'duplicate' | 'mailbox gone'>[] = []
  const add = (count: number) => {
    for (let number = 0; number < count; number++)
      added.push(stores[number % 3]!.addMessage(mailbox, messageFor(mailbox)))
  }
  add(30)
  await Promise.race(added)
  add(30)
  const changed = change(stores[2]!, mailbox)
  add(30)
  expect(await changed).toBeTruthy()
  const outcomes = await Promise.all(added)
  const stored = outcomes.filter((outcome) => typeof outcome === 'number')
  expect(stored.length).toBeGreaterThan(0)
  expect(outcomes.filter((outcome) => outcome === 'mailbox gone')).toHaveLength(90 - stored.length)
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  const shown = await stores[0]!.listMessages(view, { limit: 100, before: null })
  expect(await stores[0]!.countMessages(view)).toBe(shown.length)
  const isRenamed = (await stores[0]!.findTeamMailbox({ teamId: team.id, name: 'renamed' })) !== null
  expect(shown.map(({ mailboxWithTag }) => mailboxWithTag)).toEqual(isRenamed ? stored.map(() => 'renamed') : [])
})

test.each([
  ['a conflict is retried', '40001', 2, [1, 2, 3]],
  ['a deadlock is retried', '40P01', 2, [1, 2, 3]],
  ['a permanent conflict fails with its whole group', '40001', 9, [1, 'failed', 'failed']],
  ['any other failure is left out of its group', '23514', 9, [1, 'failed', 2]],
])('of writes that the database refuses, %s', async (_, code, times, expected) => {
  const { url, stores, mailbox } = await start()
  await administer(
    url,
    `create sequence tries;
     create function refuse() returns trigger language plpgsql as $$
     begin
       if new.subject = 'odd' and nextval('tries') <= ${times} then
         raise exception 'undone' using errcode = '${code}';
       end if;
       return new;
     end $$;
     create trigger refused before insert on messages for each row execute function refuse()`,
  )
  const outcomes = await Promise.allSettled(
    ['plain', 'odd', 'plain'].map((subject) => stores[0]!.addMessage(mailbox, messageFor(mailbox, { subject }))),
  )
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual(expected)
})
