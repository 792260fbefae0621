import type { Writer } from '../sqlite/writer.ts'
import { sql, type Sql } from './sql.ts'

/** Rows in one transaction: about 5 ms of the writer's time. */
const ROWS_PER_STEP = 500
/** With fewer rows to do, others may come first; more than these are never left waiting. */
const WAIT_FOR_MORE_MS = 200

// Apart from the insert of a message, because SQLite's full-text index, once touched, makes every further insert of
// the same transaction several times slower.
const INDEX_NEXT = `
  insert into message_trigrams (rowid, subject, sender, recipient, mailbox_with_tag)
  select sequence, subject_folded, sender_folded, recipient_folded, mailbox_with_tag_folded
  from messages
  where sequence > (select indexed_through from trigram_progress)
  order by sequence
  limit ${ROWS_PER_STEP}`
const RECORD_PROGRESS = `
  update trigram_progress set indexed_through = coalesce((
    select max(sequence) from (
      select sequence from messages
      where sequence > indexed_through
      order by sequence
      limit ${ROWS_PER_STEP})), indexed_through)`

/** With nothing to index, nothing is written. */
const INDEX_STEP = [
  { text: INDEX_NEXT, values: [], isRequired: true },
  { text: RECORD_PROGRESS, values: [], isRequired: false },
]

/** Brings the text index up to date a moment after messages came. Until then they are found without it. */
export function createTrigramIndexer(
  writer: Writer,
  onTrouble: (error: unknown) => void,
): { indexSoon(): void; close(): Promise<void> } {
  let added = 0
  let timer: NodeJS.Timeout | undefined
  let indexing: Promise<void> | null = null
  let isClosed = false

  async function indexAll(): Promise<void> {
    let indexed: unknown = ROWS_PER_STEP
    while (indexed === ROWS_PER_STEP && !isClosed) {
      added = 0
      const results = await writer.write(INDEX_STEP)
      indexed = results[0]
    }
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    if (isClosed) return
    // A step that fails, on a full disk for example, is tried again with the next message: nothing is lost meanwhile.
    indexing ??= indexAll()
      .catch(onTrouble)
      .finally(() => {
        indexing = null
        if (added > 0) indexLater()
      })
  }

  function indexLater(): void {
    timer ??= setTimeout(start, WAIT_FOR_MORE_MS).unref()
  }

  // What an earlier run did not get to.
  indexLater()

  return {
    indexSoon() {
      added++
      if (added >= ROWS_PER_STEP) start()
      else indexLater()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await indexing
    },
  }
}

/** The index knows pieces of three characters; it is asked for all of them, in whatever order they stand. */
export function mayContainByTrigrams(text: string): Sql | null {
  const characters = Array.from(text)
  const trigrams = characters.slice(2).map((last, index) => characters[index]! + characters[index + 1]! + last)
  if (trigrams.length === 0) return null
  const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
  return sql`(m.sequence in (select rowid from message_trigrams where message_trigrams match ${match})
              or m.sequence > (select indexed_through from trigram_progress))`
}
