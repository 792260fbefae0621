import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { openForReading, openForWriting } from '../sqlite/connection.ts'
import { createGroupCommit } from '../sqlite/group-commit.ts'
import { chunksOf, sizeOf, type Body, type Bucket, type NewObject } from './bucket.ts'

/** A body up to this size is one row; a larger one is written in parts, so that it is never whole in memory. */
const PART_BYTES = 1024 * 1024

/** An integer key, not the text key, orders the rows: writing at the end of the table costs half. */
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

/** All objects in one SQLite file: many mails share one sync, and a move is one transaction. */
export function openEmbeddedBucket(path: string, open: (path: string) => DatabaseSync = openForWriting): Bucket {
  const writer = open(path)
  writer.exec(SCHEMA)
  // Parts that no object names belong to mail that was never acknowledged.
  writer.exec('delete from parts where upload not in (select upload from objects where upload is not null)')
  const reader = openForReading(path)
  const commits = createGroupCommit(writer)

  const upsert = writer.prepare(`
    insert into objects (key, size, body, upload) values (?, ?, ?, ?)
    on conflict (key) do update set size = excluded.size, body = excluded.body, upload = excluded.upload`)
  const rename = writer.prepare('update objects set key = ?, size = ?, body = ?, upload = null where key = ?')
  const addPart = writer.prepare('insert into parts (upload, part, body) values (?, ?, ?)')
  const dropUpload = writer.prepare('delete from parts where upload = ?')
  const findUpload = writer.prepare('select upload from objects where key = ? and upload is not null')
  const dropUnnamedUpload = writer.prepare(
    'delete from parts where upload = ?1 and not exists (select 1 from objects where upload = ?1)',
  )
  const dropObject = writer.prepare('delete from objects where key = ?')
  const select = reader.prepare('select size, body, upload from objects where key = ?')
  const selectPart = reader.prepare('select body from parts where upload = ? and part = ?')
  const selectKeys = reader.prepare('select key from objects where key > ? and key < ? order by key limit ?')

  /** Writes the parts of a large body; they count only once an object names the upload. */
  async function upload(body: Body): Promise<string> {
    const name = randomUUID()
    let part = 0
    try {
      for await (const chunk of chunksOf(body)) {
        for (let start = 0; start < chunk.byteLength; start += PART_BYTES) {
          const piece = chunk.subarray(start, start + PART_BYTES)
          const number = part++
          await commits.write(() => addPart.run(name, number, piece))
        }
      }
    } catch (error) {
      await commits.write(() => dropUpload.run(name))
      throw error
    }
    return name
  }

  function writeObject({ key, body }: NewObject, uploads: Map<Body, string>): void {
    const replaced = findUpload.get(key)
    upsert.run(key, sizeOf(body), body instanceof Uint8Array ? body : null, uploads.get(body) ?? null)
    if (replaced) dropUnnamedUpload.run(replaced['upload'] as string)
  }

  return {
    async put(objects) {
      // Copies of one large mail for several recipients share their parts.
      const uploads = new Map<Body, string>()
      for (const { body } of objects) {
        if (!(body instanceof Uint8Array) && !uploads.has(body)) uploads.set(body, await upload(body))
      }
      await commits.write(() => {
        for (const object of objects) writeObject(object, uploads)
      })
    },

    async get(key) {
      // The columns of the select above.
      const row = select.get(key) as ObjectRow | undefined
      if (!row) return null
      const pieces = Readable.from(row.upload ? partsOf(row.upload) : [row.body!])
      return { size: row.size, stream: Readable.toWeb(pieces) as ReadableStream<Uint8Array> }

      async function* partsOf(name: string) {
        for (let part = 0; ; part++) {
          const found = selectPart.get(name, part)
          if (!found) return
          yield found['body'] as Uint8Array
        }
      }
    },

    async move(from, { key, body }) {
      if (!(body instanceof Uint8Array)) throw new Error('Only small objects are moved.')
      await commits.write(() => {
        dropObject.run(key)
        const { changes } = rename.run(key, body.byteLength, body, from)
        if (changes === 0) upsert.run(key, body.byteLength, body, null)
      })
    },

    async remove(keys) {
      await commits.write(() => {
        for (const key of keys) {
          const named = findUpload.get(key)
          dropObject.run(key)
          if (named) dropUnnamedUpload.run(named['upload'] as string)
        }
      })
    },

    async list({ prefix, cursor, limit }) {
      const rows = selectKeys.all(cursor ?? prefix, endOfPrefix(prefix), limit + 1)
      const keys = rows.slice(0, limit).map((row) => row['key'] as string)
      return { keys, cursor: rows.length > limit ? keys.at(-1)! : null }
    },

    async close() {
      await commits.idle()
      reader.close()
      writer.close()
    },
  }
}

/** The first string after everything that starts with the prefix; keys are ASCII. */
function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`
}
