import { CONNECTIONS_PER_REPLICA } from '../../packages/server/src/store/postgres-database.ts'
import { TEST_SETTINGS } from '../../packages/server/test/support/postgres-server.ts'
import { SMALL_50 } from '../measures/smtp.ts'
import { TEAMS } from '../replicas/fleet.ts'
import { CONNECTIONS } from '../replicas/measure.ts'
import { formatFigure } from '../results.ts'
import { median } from '../statistics.ts'
import type { Reports } from '../stored-reports.ts'
import { LOADS, rate, sizeOf, sizingTable, total, type Capacity } from './sizing.ts'

/** What the page is written from. */
type ScaleReports = Pick<Reports, 'benchmark' | 'replicas' | 'scale' | 'citus'>

/** A plan for a request to a bucket on another machine. Not measured, and the page says so. */
const ASSUMED_REQUEST_MS = 50
const ROWS_PER_STEP = 100
const NODES = 20
/** To show what the connections of several replicas need. */
const REPLICAS = 10

/** docs/operate/scale.md. Every figure is one of a report, or computed from some. */
export function scalePage(reports: ScaleReports): string {
  const capacity = capacityOf(reports)
  return [
    introduction(reports),
    costs(reports, capacity),
    throughput(reports),
    sizing(capacity),
    oneDatabase(reports, capacity),
    severalServers(reports, capacity),
    retention(reports),
  ].join('\n')
}

function capacityOf({ replicas, scale }: ScaleReports): Capacity {
  const { storing } = scale.bucket
  return {
    sqliteBytes: total(scale.sqlite) / scale.messages,
    postgresBytes: total(scale.postgres) / scale.messages,
    indexBytes: scale.postgres.indexes / scale.messages,
    requestsPerMail: Object.values(storing.counts).reduce((sum, count) => sum + count) / scale.bucket.mails,
    intakePerSecond: medians(replicas, 'PostgreSQL, 1 replica').intakeTeams,
    deletionsPerSecond: scale.removal.rows / scale.removal.seconds,
  }
}

function introduction({ benchmark, replicas, scale, citus }: ScaleReports): string {
  const { cores, processor, memoryGigabytes } = scale.machine
  const { max_connections, max_wal_size } = TEST_SETTINGS
  const isBusy = [benchmark, replicas, scale, citus].some(({ notes }) => notes.some((note) => note.includes('busy')))
  return `# Scale

What 10,000, 1 million and 100 million mails a day need, where the bottlenecks are, and what changes at each step. \`npm run docs\` writes this
page from the reports of the benchmarks: [bench/report.md](../../bench/report.md), [bench/replicas/report.md](../../bench/replicas/report.md),
[bench/scale/report.md](../../bench/scale/report.md) and [bench/scale/citus.md](../../bench/scale/citus.md). They were measured on **one machine
with ${cores} cores** (${processor}, ${memoryGigabytes} GB) that ran the clients, Mailhatch and PostgreSQL together. PostgreSQL had its default settings, except for
\`max_connections = ${max_connections}\` and \`max_wal_size = ${max_wal_size}\`.${
    isBusy ? ' The machine was busy during some of them; their reports say which.' : ''
  }
Separate machines were not measured. Run the benchmarks on your own machines before you buy any.
`
}

function costs({ scale }: ScaleReports, { sqliteBytes, postgresBytes, requestsPerMail }: Capacity): string {
  const { bucket, messages, postgres } = scale
  const storing = Object.entries(bucket.storing.counts).map(([method, count]) => `${count / bucket.mails} ${method}`)
  const deleting = Object.values(bucket.deleting.counts).reduce((sum, count) => sum + count)
  return `## Cost of one mail

| | figure | measured with |
|---|---|---|
| row and indexes, SQLite | ${sizeOf(sqliteBytes)} | ${formatFigure(messages)} messages with 2 kB of text, no HTML; \`bench/scale\` |
| row and indexes, PostgreSQL | ${sizeOf(postgresBytes)}, of which ${sizeOf(postgres.textIndex / messages)} text index | the same messages; PostgreSQL compresses bodies |
| stored objects | 2: raw mail and metadata | |
| requests to the bucket | ${requestsPerMail}: ${storing.join(', ')} | ${bucket.mails} mails of ${sizeOf(bucket.mailBytes)} by SMTP; ${sizeOf(bucket.storing.bytes / bucket.mails)} sent for each; \`bench/scale\` |
| requests to delete ${bucket.mails} of them | ${deleting} | at once, and again a minute later; [decisions.md](../decisions.md) explains why twice |

HTML is stored once in the row and once in the raw mail. Attachments are stored only in the raw mail.
`
}

function throughput({ benchmark, replicas, scale }: ScaleReports): string {
  const onSqlite = medians(replicas, 'SQLite')
  const onReplicas = [1, 2, 3].map((count) => medians(replicas, `PostgreSQL, ${count} replica${count > 1 ? 's' : ''}`))
  const each = (key: 'intakeOneTeam' | 'intakeTeams' | 'latest') =>
    onReplicas.map((figures) => formatFigure(figures[key])).join(' / ')
  const { removal, seconds, messages } = scale
  return `## Throughput of one installation

| | per second | measured with |
|---|---|---|
| mail by SMTP until it can be read, SQLite, 2 kB | ${formatFigure(seriesOf(benchmark, SMALL_50.name))} | ${SMALL_50.connections} connections; \`bench/report.md\` |
| intake, SQLite, one team / several | ${formatFigure(onSqlite.intakeOneTeam)} / ${formatFigure(onSqlite.intakeTeams)} | announcements over HTTP, ${CONNECTIONS} connections; \`bench/replicas\` |
| intake, PostgreSQL, one team, 1 / 2 / 3 replicas | ${each('intakeOneTeam')} | the same |
| intake, PostgreSQL, several teams, 1 / 2 / 3 replicas | ${each('intakeTeams')} | the same; replicas share the cores with PostgreSQL here |
| \`latest\`, SQLite | ${formatFigure(onSqlite.latest)} | the same |
| \`latest\`, PostgreSQL, 1 / 2 / 3 replicas | ${each('latest')} | the same; each request queries the database |
| text index, PostgreSQL | ${formatFigure(messages / seconds.index)} messages | ${formatFigure(messages)} copied messages, until indexed; \`bench/scale\` |
| deletion of expired messages, PostgreSQL | ${formatFigure(removal.rows / removal.seconds)} messages, ${formatFigure(removal.rows / removal.loaded.seconds)} during a team's full intake | ${formatFigure(removal.rows)} of ${formatFigure(3 * removal.rows)}; \`bench/scale\` |
| \`mailhatch db copy\` with comparison | ${formatFigure(messages / seconds.copy)} messages | ${formatFigure(messages)} messages; \`bench/scale\` |

A held wait costs nothing until its mail arrives: one process held ${formatFigure(benchmark.plan.waiters)} and woke them with a p99 of ${formatFigure(seriesOf(benchmark, 'from the 250 to the answer, p99'))} ms. On
PostgreSQL, mail that one of three replicas takes in wakes a wait on another with a p99 of ${formatFigure(onReplicas[2]!.wakeP99)} ms. Let tests wait instead of polling \`latest\`.
`
}

function sizing(capacity: Capacity): string {
  return `## Sizing

Mail for tests arrives when tests run, so the table assumes a peak of ten times the average. Retention is 14 days (starter) and 90 days (pro).

${sizingTable(capacity)}

Multiply the rows of objects and requests by your provider's prices. For small mail, requests cost more than storage: at 100 million a day,
packing several mails into one object would be the first optimisation.

## The way of a mail

| part | grows with | first limit |
|---|---|---|
| edge: SMTP workers, or the Cloudflare worker | more of them; they share nothing | requests to the bucket |
| bucket: raw mail and metadata, before the 250 | the provider | its price |
| intake: API replicas that store announcements | more of them | the lock that orders one team |
| PostgreSQL | a larger server, then more servers | disk and commits; of several servers, the coordinator |
| readers: API replicas that hold waits and streams | more of them | memory; each wake-up is a query |
`
}

function oneDatabase({ replicas, scale }: ScaleReports, capacity: Capacity): string {
  const [small, medium] = LOADS
  const one = medians(replicas, 'PostgreSQL, 1 replica')
  const peakShare = (10 * small!.perSecond) / medians(replicas, 'SQLite').intakeTeams
  return `## 10,000 a day: one process

\`mailhatch serve\` with SQLite. At peak, it does ${formatFigure(100 * peakShare)} % of the intake that was measured. Back up the two files. The usual reason to move on
is not load but restarts without downtime.

## 1 million a day: replicas on one PostgreSQL

Two or three API replicas, for rolling restarts rather than for speed; one or two workers; an S3-compatible bucket; one PostgreSQL with a
standby ([deploy.md](deploy.md)).

- PostgreSQL: memory for the indexes of the days that are read (${sizeOf(capacity.indexBytes)} a message: ${sizeOf(capacity.indexBytes * medium!.mails * 14)} for 14 days), and a disk that
  syncs fast, because intake waits for commits. ${sizeOf(capacity.postgresBytes * medium!.mails * 14)} to ${sizeOf(capacity.postgresBytes * medium!.mails * 90)}.
- Deletion: ${rate(medium!.perSecond)} messages a second, of ${formatFigure(capacity.deletionsPerSecond)} possible. The disk did not grow during it with the default autovacuum: ${formatFigure(scale.removal.megabytes.before)} MB before
  and ${formatFigure(scale.removal.megabytes.after)} MB after.
- The first bottleneck is a single team. A lock on the team's row orders its messages, so its intake does not grow with replicas: ${formatFigure(one.intakeOneTeam)}/s
  here. Different teams do not wait for each other, but fewer of their messages share a commit: ${formatFigure(one.intakeTeams)}/s for ${TEAMS} teams.
- The second is polling: ${formatFigure(one.latest)} polls a second on one replica, while held waits cost almost nothing.
- Nothing is partitioned or distributed. Nearly every installation should stay here: until the peak of its largest team, or of all teams together, comes
  near these rates, or its database is too large to be restored in the time that you have.
`
}

function severalServers({ citus, scale, replicas }: ScaleReports, capacity: Capacity): string {
  const { perSecond, mails } = LOADS[2]!
  const node = { mails: mails / NODES, perSecond: perSecond / NODES }
  const { disruption, mail, rates } = citus
  const plain = rates[0]!
  const stepMs = (scale.removal.seconds * 1_000 * ROWS_PER_STEP) / scale.removal.rows / 2
  const sweepMs = 2 * (stepMs + ASSUMED_REQUEST_MS) + 2 * ASSUMED_REQUEST_MS
  const { loaded, rows } = scale.removal
  return `## 100 million a day: teams on several servers

A database of ${sizeOf(capacity.postgresBytes * mails * 14)} to ${sizeOf(capacity.postgresBytes * mails * 90)} is slow to back up and restore, and the peak is ${formatFigure((10 * perSecond) / capacity.intakePerSecond)} times what one small PostgreSQL takes in. Teams share only
small tables that hardly any message changes, and nearly every statement on the others names one team. So Citus, an extension of PostgreSQL, can spread
them over several servers, and move a team to another one while it is served ([cluster.md](cluster.md)). A cluster of ${NODES} nodes has ${formatFigure(node.mails)}
mails a day on each: ${rate(node.perSecond)}/s on average, ${rate(10 * node.perSecond)}/s at peak; ${sizeOf(capacity.postgresBytes * node.mails * 14)} for 14 days; ${rate(node.perSecond)} deletions a second.
One PostgreSQL without Citus took in ${formatFigure(capacity.intakePerSecond)}/s and deleted ${formatFigure(capacity.deletionsPerSecond)}/s here. No node was measured with this load.

**The first limit of a cluster is the coordinator.** Every statement passes through it, so more nodes do not help there. What one on a machine of its own
passes on was not measured: measure it before you plan with ${rate(10 * perSecond)}/s. With all nodes on the same ${citus.machine.cores} cores, a cluster only shows what the way through
the coordinator costs. Per second, and in brackets compared with one PostgreSQL:

| | intake, all teams | intake, one team | \`latest\` |
|---|---|---|---|
${rates.map(({ name, rates: own }) => `| ${[name, ...own.map((value, kind) => `${formatFigure(value)} (${(value / plain.rates[kind]!).toFixed(2)})`)].join(' | ')} |`).join('\n')}

One run had ${disruption.moves} moves of a piece and ${disruption.rebalances} rebalancings, the longest of ${formatFigure(disruption.longestMoveMs / 1_000)} s, and kills of a worker (${disruption.workerKills}) and of API processes (${disruption.replicaKills}), ${disruption.killsDuringMoves || 'none'} of them
while a piece moved. Of ${formatFigure(mail.acknowledged)} mails, ${mail.lost} were lost and ${mail.doubled} doubled; of ${formatFigure(mail.waits)} waits, ${mail.failedWaits.length} failed; the longest time without an accepted mail was
${formatFigure(mail.longestSilenceMs / 1_000)} s. Nodes on machines of their own were not measured.

The bucket, its keys and the workers stay the same: they know nothing of nodes. What limits a cluster after its coordinator was not measured either. The intake
of a single team is ordered by one lock (${formatFigure(medians(replicas, 'PostgreSQL, 1 replica').intakeOneTeam)}/s on one PostgreSQL here), and each mail takes ${capacity.requestsPerMail} requests to the bucket.

**Other bottlenecks at this size**

- The sweep runs on one replica per database. It pauses as long as it works, so ${ROWS_PER_STEP} messages take twice the time of a step, which was
  ${formatFigure(stepMs)} ms here without its request to the bucket. If that takes ${ASSUMED_REQUEST_MS} ms (an assumption), and the second deletion of the objects as long, it
  deletes ${formatFigure((1_000 * ROWS_PER_STEP) / sweepMs)} messages a second: enough for a node (${rate(node.perSecond)}/s), but compare it with the ${rate(perSecond)}/s of the whole cluster.
- During a team's full intake of ${formatFigure(loaded.insertsPerSecond)}/s, ${formatFigure(rows / loaded.seconds)} messages a second were deleted. A team that is always at its limit grows if the second is less.
- Connections: ${CONNECTIONS_PER_REPLICA} per replica. With ${REPLICAS} replicas, \`max_connections\` must be above ${REPLICAS * CONNECTIONS_PER_REPLICA} on the server that they connect to.
- Every notification goes to all replicas, whichever team it is for. With three replicas on the same cores, intake of several teams was ${(medians(replicas, 'PostgreSQL, 3 replicas').intakeTeams / medians(replicas, 'PostgreSQL, 1 replica').intakeTeams).toFixed(2)}
  of that with one.
`
}

function retention({ scale }: ScaleReports): string {
  const { partitions, removal } = scale
  const { insertSeconds, newestMs, byIdMs, dropSeconds, readSeconds, forgetIdsSeconds, count } = partitions
  const { megabytes, loaded, idleInsertsPerSecond: idle } = removal
  const droppedSeconds = dropSeconds + readSeconds + forgetIdsSeconds
  const times = (value: { plain: number; partitioned: number }) => formatFigure(value.partitioned / value.plain)
  return `## Retention: deletes or partitions

A team's plan sets how long its mail is kept, and enterprise teams choose a number of days. To drop expired mail by partition, rows that expire together
must be stored together: partitions by (retention class, month), with all ids in a separate table, because a unique index on a partitioned
table must include the partition key, and "once per id" must not. Both were measured on the same ${formatFigure(3 * removal.rows)} messages of one team, a third of them
expired:

| | batched deletes | partitions |
|---|---|---|
| delete ${formatFigure(removal.rows)} messages | ${formatFigure(removal.seconds)} s in the background, pauses included | ${formatFigure(dropSeconds)} s to drop, ${formatFigure(readSeconds)} s to read what is needed first (objects, counts), ${formatFigure(forgetIdsSeconds)} s for the ids |
| intake meanwhile | ${formatFigure(loaded.insertsPerSecond)}/s, against ${formatFigure(idle[0])}/s before and ${formatFigure(idle[1])}/s after | not measured |
| space | ${formatFigure(megabytes.before)} MB before, ${formatFigure(megabytes.after)} MB after, ${formatFigure(megabytes.refilled)} MB after a second third was replaced by new messages | returned immediately |
| insert everything again, in bulk | ${formatFigure(insertSeconds.plain)} s | ${formatFigure(insertSeconds.partitioned)} s |
| newest message of a mailbox | ${formatFigure(newestMs.plain)} ms | ${formatFigure(newestMs.partitioned)} ms (${count} partitions: 3 classes, 13 months) |
| message by its id | ${formatFigure(byIdMs.plain)} ms | ${formatFigure(byIdMs.partitioned)} ms |

Mailhatch uses deletes. Dropping partitions took ${formatFigure(removal.seconds / droppedSeconds)} times less time, but the difference does not matter: deletes are background work, and
the objects of each message have to be deleted one by one in any case. With partitions, these reads took ${times(newestMs)} and ${times(byIdMs)} times as long, and they would need a class
for each number of days that an enterprise team chooses, or keep its mail up to a month too long. At ${formatFigure(removal.rows / removal.seconds)} a second, deletes handle
${formatFigure(((removal.rows / removal.seconds) * 86_400) / 1e6)} million messages a day on the benchmark machine.

If the disk grows although the message count does not, autovacuum is too slow: lower \`autovacuum_vacuum_scale_factor\` of \`messages\` and
\`message_contents\` from 0.2 to 0.02.
`
}

function of(replicas: ScaleReports['replicas'], name: string) {
  const found = replicas.measured.find((measured) => measured.name === name)
  if (!found) throw new Error(`bench/replicas has no ${name}.`)
  return found
}

function medians(replicas: ScaleReports['replicas'], name: string) {
  const { figures, wakes } = of(replicas, name)
  return {
    intakeOneTeam: median(figures.map((figure) => figure.intakeOneTeam)),
    intakeTeams: median(figures.map((figure) => figure.intakeTeams)),
    latest: median(figures.map((figure) => figure.latest)),
    wakeP99: median(wakes.map((wake) => wake.p99)),
  }
}

/** The median of a scenario of the product itself. */
function seriesOf(benchmark: ScaleReports['benchmark'], scenario: string): number {
  const found = benchmark.series.find((series) => series.scenario === scenario && series.subject === 'Mailhatch')
  if (!found) throw new Error(`bench/report.json has no ${scenario}.`)
  return found.median
}
