import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { ReadableStream } from 'node:stream/web'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createSemaphore } from '../domain/semaphore.ts'
import { checkSchema, isOutOfSpace, openForReading, prepareDatabase } from '../sqlite/connection.ts'
import { prepareQuery } from '../sqlite/query.ts'
import type { Statement, Value } from '../sqlite/transactions.ts'
import { openWriter, type WriterOptions } from '../sqlite/writer.ts'
import { chunksOf, sizeOf, type ObjectBody, type Bucket, type NewObject } from './bucket.ts'

/** Of a large body, so that it is never completely in memory. A client that does not read holds one part in memory. */
const PART_BYTES = 64 * 1024

/** Rows are ordered by an integer key, not by the text key: appending to the table costs half. */
const SCHEMA_VERSION = 1
const SCHEMA = `
  create table if not exists objects (
    number integer primary key,
    key text not null unique,
    size integer not null,
    body blob,
    upload text
  ) strict;
  create index if not exists objects_by_upload on objects (upload) where upload is not null;
  create table if not exists parts (
    upload text not null,
    part integer not null,
    body blob not null,
    primary key (upload, part)
  ) strict;
`

type ObjectRow = { size: number; body: Uint8Array | null; upload: string | null }

const PUT = `
  insert into objects (key, size, body, upload) values (?, ?, ?, ?)
  on conflict (key) do update set size = excluded.size, body = excluded.body, upload = excluded.upload`
const ADD_PART = 'insert into parts (upload, part, body) values (?, ?, ?)'
/** A failed commit may still have reached the disk, so parts that an object refers to stay. */
const DROP_UPLOAD = 'delete from parts where upload = ?1 and not exists (select 1 from objects where upload = ?1)'
const REMOVE = 'delete from objects where key = ?'
/** Run before an object is deleted: also deletes its parts, unless another object shares them. */
const REMOVE_PARTS = `
  delete from parts
  where upload = (select upload from objects where key = ?1)
    and 1 = (select count(*) from objects where upload = (select upload from objects where key = ?1))`
const RENAME = 'update or replace objects set key = ?, size = ?, body = ?, upload = null where key = ?'
/** At start-up nothing is being uploaded: parts without an object belong to mail that was never acknowledged. */
const DROP_UNFINISHED = 'delete from parts where upload not in (select upload from objects where upload is not null)'

/** All objects in one SQLite file. Many messages share one sync, and a move is one transaction. */
export function openEmbeddedBucket(path: string, options: WriterOptions = {}): Bucket {
  const reader = prepareDatabase(path, (connection) => {
    // Writes only if necessary, so that mail can be read on a full disk.
    if (checkSchema(connection, SCHEMA_VERSION) < SCHEMA_VERSION) {
      connection.exec(`${SCHEMA}; pragma user_version = ${SCHEMA_VERSION}`)
    }
    dropUnfinished(connection)
    return openForReading(path)
  })
  return bucketOn(path, reader, options)
}

/**
 * The objects of a file that a server may be using. It creates nothing, and it leaves unfinished uploads alone, which may be
 * mail that the server is receiving.
 */
export function openEmbeddedBucketBeside(path: string): Bucket {
  const reader = openForReading(path)
  try {
    if (checkSchema(reader, SCHEMA_VERSION) < SCHEMA_VERSION) throw new Error(`${path} was never used.`)
    return bucketOn(path, reader)
  } catch (error) {
    reader.close()
    throw error
  }
}

function bucketOn(path: string, reader: DatabaseSync, options: WriterOptions = {}): Bucket {
  // Reads one part per turn of the event loop for all readers together, because a read takes up to a millisecond.
  const oneAtATime = createSemaphore(1)
  const writer = openWriter(path, options)
  const select = prepareQuery<ObjectRow>(reader, 'select size, body, upload from objects where key = ?')
  const selectPart = prepareQuery<{ body: Uint8Array }>(reader, 'select body from parts where upload = ? and part = ?')
  const selectFrom = prepareQuery<{ key: string }>(
    reader,
    'select key from objects where key >= ? and key < ? order by key limit ?',
  )
  const selectAfter = prepareQuery<{ key: string }>(
    reader,
    'select key from objects where key > ? and key < ? order by key limit ?',
  )

  /** Writes the parts of a large body. They become visible once an object refers to the upload. */
  async function writeParts(upload: string, body: ObjectBody): Promise<void> {
    let part = 0
    for await (const chunk of chunksOf(body)) {
      const steps: Statement[] = []
      for (let start = 0; start < chunk.byteLength; start += PART_BYTES) {
        steps.push(step(ADD_PART, upload, part++, chunk.subarray(start, start + PART_BYTES)))
      }
      if (steps.length > 0) await writer.write(steps)
    }
  }

  async function putLarge(objects: NewObject[]): Promise<void> {
    // Copies of a large mail for several recipients share their parts.
    const uploads = new Map<ObjectBody, string>()
    try {
      for (const { body } of objects) {
        if (body instanceof Uint8Array || uploads.has(body)) continue
        const upload = randomUUID()
        uploads.set(body, upload)
        await writeParts(upload, body)
      }
      await writer.write(objects.map((object) => putStep(object, uploads.get(object.body) ?? null)))
    } catch (error) {
      // If this fails too, the next start deletes the parts.
      await writer.write(Array.from(uploads.values(), (upload) => step(DROP_UPLOAD, upload))).catch(() => {})
      throw error
    }
  }

  return {
    async put(objects) {
      if (objects.some(({ body }) => !(body instanceof Uint8Array))) await putLarge(objects)
      else await writer.write(putSteps(objects))
    },

    async get(key) {
      const row = select.get(key)
      if (!row) return null
      // Reads nothing ahead: a client that does not read would hold it in memory. Node and the DOM types declare the same
      // class separately.
      const stream = ReadableStream.from(row.upload ? partsOf(row.upload) : [row.body!])
      return { size: row.size, stream: stream as globalThis.ReadableStream<Uint8Array> }

      async function* partsOf(name: string) {
        for (let part = 0; ; part++) {
          const found = await oneAtATime(async () => {
            const read = selectPart.get(name, part)
            await yieldToEventLoop()
            return read
          })
          if (!found) return
          yield found.body
        }
      }
    },

    async move(from, { key, body }, { mayWait = false } = {}) {
      if (!(body instanceof Uint8Array)) throw new Error('Only small objects can be moved.')
      await writer.write([step(RENAME, key, body.byteLength, body, from)], { mayWait })
    },

    async remove(keys) {
      await writer.write(keys.flatMap((key) => [step(REMOVE_PARTS, key), step(REMOVE, key)]))
    },

    async list({ prefix, cursor, limit }) {
      const select = cursor === undefined ? selectFrom : selectAfter
      const rows = select.all(cursor ?? prefix, endOfPrefix(prefix), limit + 1)
      const keys = rows.slice(0, limit).map(({ key }) => key)
      return { keys, cursor: rows.length > limit ? keys.at(-1)! : null }
    },

    async close() {
      // The writer closes last: only a writable connection can checkpoint the write-ahead log and delete it.
      reader.close()
      await writer.close()
    },
  }
}

/** On a full disk, unfinished uploads stay until a later start. */
function dropUnfinished(connection: DatabaseSync): void {
  try {
    connection.exec(DROP_UNFINISHED)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
  }
}

/** For small objects. Bytes shared by several objects, such as a mail to many recipients, are written once. */
function putSteps(objects: NewObject[]): Statement[] {
  const uploads = new Map<ObjectBody, string | null>()
  for (const { body } of objects) uploads.set(body, uploads.has(body) ? randomUUID() : null)
  const parts = Array.from(uploads).flatMap(([body, upload]) =>
    // All bodies are small here.
    upload === null ? [] : [step(ADD_PART, upload, 0, body as Uint8Array)],
  )
  return [...parts, ...objects.map((object) => putStep(object, uploads.get(object.body) ?? null))]
}

function putStep({ key, body }: NewObject, upload: string | null): Statement {
  return step(PUT, key, sizeOf(body), upload === null && body instanceof Uint8Array ? body : null, upload)
}

function step(text: string, ...values: Value[]): Statement {
  return { text, values, isRequired: false }
}

/** Sorts after every key with the prefix, because keys are ASCII. */
function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`
}
