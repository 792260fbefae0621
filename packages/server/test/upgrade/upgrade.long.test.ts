import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { spawnServer } from '../support/child-server.ts'
import { startDatabaseCommand } from '../support/database-command.ts'
import { temporaryFolder } from '../support/server.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { fillPrevious, TEAM } from './many-messages.ts'
import { createPreviousTables, query } from './previous-database.ts'
import { unpackPreviousProgram } from './previous-program.ts'
import { startTraffic } from './traffic.ts'

const MESSAGES = 300_000
/** Each kills the upgrade a little after it says this. */
const KILLS = [/migrating message_contents: \d{5}/, /migrating message_contents: 1\d{5}/, /migrating indexes/]

/** Measured: 1.0 s. By default, a worker waits this long for a response. Machines of tests are slow. */
const STALL_MS_MAX = 10_000

const postgres = ownPostgres({ autovacuum: 'on' })
let previous: ReturnType<typeof unpackPreviousProgram>
beforeAll(() => {
  previous = unpackPreviousProgram()
})
afterAll(() => previous.remove())

test('an upgrade with servers of both versions loses and doubles nothing', async () => {
  const url = await postgres.database()
  await createPreviousTables(url)
  await fillPrevious(url, MESSAGES)
  const start = async (startFile?: string) => {
    const environment = { DATABASE_URL: url, DATA_DIR: temporaryFolder(), RATE_LIMIT: 'off' }
    const server = spawnServer({ program: 'api', environment, ...(startFile && { startFile }) })
    await server.ready
    return server
  }
  const migrate = (...words: string[]) => startDatabaseCommand(['migrate', ...words], { DATABASE_URL: url })
  const whileOpen = async (name: string, count: number) => {
    traffic.begin(name)
    const before = traffic.stored.size
    await expect.poll(() => traffic.stored.size, { timeout: 300_000 }).toBeGreaterThan(before + count)
  }

  const old = [await start(previous.startFile), await start(previous.startFile)]
  const traffic = startTraffic(old.map(({ apiUrl }) => apiUrl))
  onTestFinished(() => traffic.stop())
  await whileOpen('before', 500)

  traffic.begin('upgrade')
  for (const said of KILLS) {
    const killed = migrate()
    await killed.whenSaid(said)
    await killed.kill()
  }
  const started = performance.now()
  expect(await migrate().ended).toMatchObject({ code: 0 })
  const lastMs = Math.round(performance.now() - started)

  // One of each starts on the database that both share.
  const current = [await start(), await start()]
  old.push(await start(previous.startFile))
  traffic.servers = [...old, ...current].map(({ apiUrl }) => apiUrl)
  await whileOpen('side by side', 1_000)
  traffic.begin('old servers stop')
  traffic.servers = current.map(({ apiUrl }) => apiUrl)
  expect(await Promise.all(old.map((server) => server.stop()))).toEqual([0, 0, 0])

  traffic.begin('finish')
  expect(await migrate('--finish').ended).toMatchObject({ code: 0 })
  await whileOpen('after', 500)
  await traffic.stop()
  console.log(
    JSON.stringify({ stored: traffic.stored.size, stallsMs: traffic.stallsMs, failures: traffic.failures, lastMs }),
  )

  // The first one is a duplicate if a server stored it and could not respond.
  const wrong = Array.from(traffic.stored.values()).filter(
    (answers) => !/^(?:stored|duplicate)(?:,duplicate)*$/.test(answers.join()),
  )
  expect(wrong).toEqual([])
  for (const [phase, stallMs] of Object.entries(traffic.stallsMs)) {
    expect(stallMs, `the longest announcement that began in the phase "${phase}"`).toBeLessThan(STALL_MS_MAX)
  }
  const total = MESSAGES + traffic.stored.size
  const [counts] = await query<Record<string, string>>(
    url,
    `select count(*) as messages, count(distinct m.id) as ids, max(m.position) as last, count(c.position) as contents,
            max(s.last_position) as last_position, max(s.message_count) as message_count
     from messages m join team_state s on s.team_id = m.team_id
          left join message_contents c on c.team_id = m.team_id and c.position = m.position
     where m.team_id = '${TEAM.id}'`,
  )
  expect(new Set(Object.values(counts!).map(Number))).toEqual(new Set([total]))
  const ids = await query<{ id: string }>(url, `select id from messages where id not like 'message-%'`)
  expect(ids.map(({ id }) => id).sort()).toEqual(Array.from(traffic.stored.keys()).sort())
})
