import { expect, onTestFinished, test } from 'vitest'
import { administer, emptyDatabase } from '../../test/support/postgres.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { sql } from './sql.ts'

const OPTIONS = {
  'sessions of our own': () => ({}),
  'a pooler': (directUrl: string) => ({ directUrl }),
}

for (const [name, optionsFor] of Object.entries(OPTIONS)) {
  async function open() {
    const url = await emptyDatabase()
    const database = await openPostgresDatabase(url, optionsFor(url))
    onTestFinished(() => database.close())
    const pidOf = async (number: number) => {
      const [row] = await database.lookup<{ pid: number; number: number }>(
        sql`select pg_backend_pid() as pid, ${number}::int as number`,
      )
      return row!
    }
    return { url, lookup: database.lookup, pidOf }
  }

  test(`with ${name}, lookups of one turn share connections, and each gets its own rows`, async () => {
    const { pidOf } = await open()
    const few = await Promise.all(Array.from({ length: 16 }, (_, number) => pidOf(number)))
    expect(few.map(({ number }) => number)).toEqual(Array.from({ length: 16 }, (_, number) => number))
    expect(new Set(few.map(({ pid }) => pid)).size).toBe(1)
    // More than fit into one group use several connections at once.
    const many = await Promise.all(Array.from({ length: 48 }, (_, number) => pidOf(number)))
    expect(new Set(many.map(({ pid }) => pid)).size).toBe(3)
  })

  test(`with ${name}, a lookup that fails does not harm the others of its turn`, async () => {
    const { lookup, pidOf } = await open()
    const [before, failed, after] = await Promise.allSettled([
      pidOf(1),
      lookup(sql`select 1 / ${0}::int as number`),
      pidOf(2),
    ])
    expect(before).toMatchObject({ value: { number: 1 } })
    expect(failed).toMatchObject({ reason: { message: expect.stringContaining('division by zero') } })
    expect(after).toMatchObject({ value: { number: 2 } })
  })

  test(`with ${name}, lookups whose connection ends are repeated`, async () => {
    const { url, lookup, pidOf } = await open()
    const { pid } = await pidOf(0)
    const slow = lookup<{ pid: number }>(sql`select pg_backend_pid() as pid from pg_sleep(${0.5})`)
    const other = pidOf(7)
    await administer(
      url,
      `do $$ begin
         while not exists (select from pg_stat_activity where pid = ${pid} and query like '%pg_sleep%' and state = 'active') loop
           perform pg_sleep(0.01);
           perform pg_stat_clear_snapshot();
         end loop;
       end $$;
       select pg_terminate_backend(${pid})`,
    )
    expect((await slow)[0]!.pid).not.toBe(pid)
    expect(await other).toMatchObject({ number: 7 })
  })
}
