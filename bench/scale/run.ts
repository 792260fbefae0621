import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openPostgresDatabase } from '../../packages/server/src/store/postgres-database.ts'
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { removeFolder } from '../programs.ts'
import { databaseFile } from '../search/databases.ts'
import { fillStore } from '../search/fill.ts'
import { writeReport } from '../stored-reports.ts'
import { countBucketRequests } from './bucket-requests.ts'
import { measurePartitions } from './partitions.ts'
import { addYoungerCopies, measureRemoval } from './removal.ts'
import { renderReport } from './report.ts'
import { copyAndIndex, postgresSizes, sqliteSizes } from './store-sizes.ts'

/** Figures for docs/operate/scale.md, which `npm run docs` writes: the size of a store, requests to a bucket, and ways to delete expired messages. Takes twelve minutes. */
const MESSAGES = 100_000
const SMALL_TEAM_MESSAGES = 1_000
const FILL = { messages: MESSAGES, smallTeamMessages: SMALL_TEAM_MESSAGES }

const otherWork = watchOtherWork()
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-scale-'))
process.on('exit', () => removeFolder(folder))
const bucket = await countBucketRequests(folder)
console.log(bucket)
const { fillSeconds } = await fillStore({ folder, url: null }, FILL)
const sqlite = sqliteSizes(databaseFile(folder))

const server = await startPostgres({ autovacuum: 'on' })
const url = server.url()
const { store, seconds } = await copyAndIndex(databaseFile(folder), await openPostgresDatabase(url), url)
const client = new pg.Client(url)
await client.connect()
const postgres = await postgresSizes(client)
console.log({ sqlite, postgres, seconds, fillSeconds })

const team = (await store.listTeams()).find(({ name }) => name === 'large')!
await addYoungerCopies(client, team.id)
const partitions = await measurePartitions(client)
console.log(partitions)
const removal = await measureRemoval(client, store, await store.listMailboxes(team.id), MESSAGES - SMALL_TEAM_MESSAGES)
console.log(removal)

await client.end()
await store.close()
await server.remove()
const report = {
  machine: describeMachine(),
  messages: MESSAGES,
  bucket,
  sqlite,
  postgres,
  seconds,
  partitions,
  removal,
  notes: otherWork(),
}
writeFileSync(new URL('report.md', import.meta.url), renderReport(report))
writeReport('scale', report)
