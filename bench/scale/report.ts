import type { Machine } from '../machine.ts'
import { formatFigure } from '../results.ts'
import type { Partitions } from './partitions.ts'
import type { Removal } from './removal.ts'
import type { Sizes } from './store-sizes.ts'

export type Report = {
  machine: Machine
  messages: number
  sqlite: Sizes
  postgres: Sizes
  seconds: { copy: number; index: number }
  partitions: Partitions
  removal: Removal
  notes: string[]
}

export function renderReport({
  machine,
  messages,
  sqlite,
  postgres,
  seconds,
  partitions,
  removal,
  notes,
}: Report): string {
  const { node, platform, cores, processor, memoryGigabytes } = machine
  const perMessage = (sizes: Sizes) => {
    const parts = [sizes.messages, sizes.contents, sizes.indexes, sizes.textIndex]
    return [...parts, parts.reduce((sum, part) => sum + part)]
      .map((bytes) => formatFigure(bytes / messages))
      .join(' | ')
  }
  const { insertSeconds, newestMs, byIdMs } = partitions
  const { megabytes, loaded } = removal
  return `# Sizes and removal

Made by \`bench/scale/run.ts\`. Node ${node}, ${platform}, ${cores} cores (${processor}), ${memoryGigabytes} GB; PostgreSQL 18 with its default
settings on the same machine.

## Bytes for each message

${formatFigure(messages)} messages with 2 kB of text and a dozen header fields, no HTML, all indexed.

| database | messages | contents | indexes | text index | all |
| --- | --- | --- | --- | --- | --- |
| SQLite | ${perMessage(sqlite)} |
| PostgreSQL | ${perMessage(postgres)} |

\`mailhatch db copy\` took ${formatFigure(seconds.copy)} s from the one to the other, comparison included, and the text index
${formatFigure(seconds.index)} s after that.

## Removing ${formatFigure(removal.rows)} of ${formatFigure(3 * removal.rows)} messages of one team

As the sweep does it, 100 rows in a transaction and pauses as long as the steps:

| | seconds | inserts/s meanwhile |
| --- | --- | --- |
| nothing removed | | ${removal.idleInsertsPerSecond.map(formatFigure).join(' before, ')} after |
| alone | ${formatFigure(removal.seconds)} | |
| with 64 clients that insert into the same team as fast as they can | ${formatFigure(loaded.seconds)} | ${formatFigure(loaded.insertsPerSecond)} |

Both tables with their indexes had ${formatFigure(megabytes.before)} MB before, ${formatFigure(megabytes.after)} MB after the first third was removed,
${formatFigure(megabytes.afterVacuum)} MB after a vacuum, and ${formatFigure(megabytes.refilled)} MB after the second third was removed and new messages had come.

## Partitions by (retention class, month)

The same ${formatFigure(3 * removal.rows)} messages in ${partitions.count} partitions, a third in each of three, beside an unpartitioned table of all ids:

| | plain | partitioned |
| --- | --- | --- |
| insert all, in one statement for each table | ${formatFigure(insertSeconds.plain)} s | ${formatFigure(insertSeconds.partitioned)} s |
| the newest of a mailbox, median | ${formatFigure(newestMs.plain)} ms | ${formatFigure(newestMs.partitioned)} ms |
| one message by its id, median | ${formatFigure(byIdMs.plain)} ms | ${formatFigure(byIdMs.partitioned)} ms |
| read what must be known of a third before it goes | | ${formatFigure(partitions.readSeconds)} s |
| drop a third | | ${formatFigure(partitions.dropSeconds)} s |
| delete its ids | | ${formatFigure(partitions.forgetIdsSeconds)} s |
${notes.length === 0 ? '' : `\n## Notes\n\n${notes.map((note) => `- ${note}`).join('\n')}\n`}`
}
