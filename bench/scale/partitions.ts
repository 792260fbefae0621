import type pg from 'pg'
import { median } from '../statistics.ts'

/** Starter, pro, and one for teams that keep mail forever. Teams with a custom retention would need more. */
const CLASSES = 3
/** A year and the current month. */
const MONTHS = 13
const QUERIES = 200

export type Partitions = {
  count: number
  insertSeconds: { plain: number; partitioned: number }
  dropSeconds: number
  /** Reading a partition before it is dropped, to find the objects to delete and the counts to update. */
  readSeconds: number
  /** Deleting the ids, once they can no longer be announced again. */
  forgetIdsSeconds: number
  newestMs: { plain: number; partitioned: number }
  byIdMs: { plain: number; partitioned: number }
}

/** Compares plain tables with partitions by (retention class, month) plus a table of all ids. */
export async function measurePartitions(client: pg.Client): Promise<Partitions> {
  await client.query(`
    create table plain (like messages including all);
    create table plain_contents (like message_contents including all);
    create table ids (id text collate "C" primary key, class integer not null, month integer not null);
    create table parted (like messages, class integer not null, month integer not null) partition by list (class);
    create table parted_contents (like message_contents, class integer not null, month integer not null)
      partition by list (class)`)
  for (let one = 0; one < CLASSES; one++) {
    for (const table of ['parted', 'parted_contents']) {
      await client.query(
        `create table ${table}_${one} partition of ${table} for values in (${one}) partition by list (month)`,
      )
      for (let month = 0; month < MONTHS; month++) {
        await client.query(
          `create table ${table}_${one}_${month} partition of ${table}_${one} for values in (${month})`,
        )
      }
    }
  }
  await client.query(`
    create unique index on parted (team_id, position, class, month);
    create index on parted (team_id, id);
    create index on parted (team_id, received_at, position);
    create index on parted (team_id, mailbox_id, received_at, position);
    create index on parted (team_id, tag, received_at, position) where tag is not null;
    create index on parted_contents (team_id, position)`)

  // A third of the messages in each of three months.
  const placed = `select m.*, 0 as class, (m.position * 3 / ((select max(position) from messages) + 1))::integer as month
                  from messages m`
  const plain = await secondsOf(client, [
    'insert into plain select * from messages',
    'insert into plain_contents select * from message_contents',
  ])
  const partitioned = await secondsOf(client, [
    `insert into ids select id, class, month from (${placed}) p`,
    `insert into parted ${placed}`,
    `insert into parted_contents select c.*, p.class, p.month from (${placed}) p join message_contents c using (team_id, position)`,
  ])
  await client.query('vacuum analyze')
  const { newestMs, byIdMs } = await measureReads(client)
  const readSeconds = await secondsOf(client, ['select id, domain, object_mailbox, team_id from parted_0_0'])
  const dropSeconds = await secondsOf(client, ['drop table parted_contents_0_0', 'drop table parted_0_0'])
  const forgetIdsSeconds = await secondsOf(client, ['delete from ids where class = 0 and month = 0'])
  return {
    count: CLASSES * MONTHS,
    insertSeconds: { plain, partitioned },
    dropSeconds,
    readSeconds,
    forgetIdsSeconds,
    newestMs,
    byIdMs,
  }
}

async function measureReads(client: pg.Client) {
  const { rows } = await client.query<{ team_id: string; mailbox_id: string; id: string }>(
    `select team_id, mailbox_id, id from messages order by md5(id) limit ${QUERIES}`,
  )
  const newest = (table: string) =>
    medianMs(client, rows, ({ team_id, mailbox_id }) => ({
      name: `newest in ${table}`,
      text: `select id, subject from ${table} where team_id = $1 and mailbox_id = $2
             order by received_at desc, position desc limit 1`,
      values: [team_id, mailbox_id],
    }))
  const byId = (table: string) =>
    medianMs(client, rows, ({ team_id, id }) => ({
      name: `by id in ${table}`,
      text: `select id, subject from ${table} where team_id = $1 and id = $2`,
      values: [team_id, id],
    }))
  return {
    newestMs: { plain: await newest('plain'), partitioned: await newest('parted') },
    byIdMs: { plain: await byId('plain'), partitioned: await byId('parted') },
  }
}

async function medianMs<Row>(client: pg.Client, rows: Row[], queryFor: (row: Row) => pg.QueryConfig): Promise<number> {
  const times: number[] = []
  for (const row of rows) {
    const startedAt = performance.now()
    await client.query(queryFor(row))
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

async function secondsOf(client: pg.Client, statements: string[]): Promise<number> {
  const startedAt = performance.now()
  for (const statement of statements) await client.query(statement)
  return (performance.now() - startedAt) / 1000
}
