import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { MAIL_BYTES_MAX, problemOf, TOO_LARGE, type StoredMail, type Unreadable } from './stored-mail.ts'

const DATA_TABLE = 'mailbox_data'
/** Longer lists of recipients are refused anyway. */
const METADATA_CHARS_MAX = 1024 * 1024

const addresses = z.array(z.object({ Address: z.string() })).nullish()
const metadataShape = z.object({ To: addresses, Cc: addresses, Bcc: addresses })

type Listed = { id: string; metadata: string | null }
type Data = { bytes: number | null; email: Uint8Array | null; isCompressed: number }

/** Reads the mail of all tenants of a Mailpit database, oldest first. Mailpit may be running. */
export function* readMailpit(path: string): Generator<StoredMail | Unreadable> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    // The file may come from anywhere.
    database.exec('pragma trusted_schema = off')
    for (const tenant of tenantsOf(database)) yield* readTenant(database, path, tenant)
  } finally {
    database.close()
  }
}

/** Throws if the database cannot be read. */
export function isMailpitDatabase(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return tenantsOf(database).length > 0
  } catch (error) {
    throw new AppError('validation_failed', `${path} is a database that cannot be read: ${problemOf(error)}.`)
  } finally {
    database.close()
  }
}

/** The prefixes of the tables; the empty one, unless Mailpit ran with `--tenant-id`. */
function tenantsOf(database: DatabaseSync): string[] {
  const tables = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all()
  const names = new Set(tables.map(({ name }) => String(name)))
  return [...names]
    .filter((name) => name.endsWith(DATA_TABLE))
    .map((name) => name.slice(0, -DATA_TABLE.length))
    .filter((prefix) => names.has(`${prefix}mailbox`))
}

function* readTenant(database: DatabaseSync, path: string, tenant: string): Generator<StoredMail | Unreadable> {
  const mailbox = quoted(`${tenant}mailbox`)
  const data = quoted(`${tenant}${DATA_TABLE}`)
  // Before version 1.23, all mail was compressed.
  const columns = database.prepare(`select name from pragma_table_info(?)`).all(`${tenant}${DATA_TABLE}`)
  const compressed = columns.some(({ name }) => name === 'Compressed') ? 'Compressed' : '1'
  const list = database.prepare(
    `select ID as id, iif(length(Metadata) <= ${METADATA_CHARS_MAX}, Metadata, null) as metadata
     from ${mailbox} order by Created, rowid`,
  )
  // Uncompressed mail is stored as text, although it may have any bytes.
  const find = database.prepare(
    `select octet_length(Email) as bytes, ${compressed} as isCompressed,
            iif(octet_length(Email) <= ${MAIL_BYTES_MAX}, cast(Email as blob), null) as email
     from ${data} where ID = ?`,
  )
  // The columns are those of the statement.
  for (const { id, metadata } of list.iterate() as Iterable<Listed>) {
    yield mailOf(`${path} (${id})`, metadata, find.get(id) as Data | undefined)
  }
}

function mailOf(path: string, metadata: string | null, data: Data | undefined): StoredMail | Unreadable {
  if (data === undefined) return { path, bytes: 0, problem: 'the database has no content for this message' }
  const { email } = data
  const bytes = data.bytes ?? 0
  if (bytes === 0) return { path, bytes, problem: 'the message is empty' }
  if (email === null) return { path, bytes, problem: TOO_LARGE }
  const raw = data.isCompressed === 0 ? email : decompress(email)
  if (typeof raw === 'string') return { path, bytes, problem: raw }
  return { path, raw, bytes, from: null, to: recipientsIn(metadata), id: null }
}

function decompress(email: Uint8Array): Uint8Array | string {
  try {
    return zstdDecompressSync(email, { maxOutputLength: MAIL_BYTES_MAX })
  } catch (error) {
    const problem = problemOf(error)
    // The type has been checked by `problemOf`.
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : `broken content: ${problem}`
  }
}

/** Mailpit adds the recipients of the envelope that no header names to Bcc. */
function recipientsIn(metadata: string | null): string[] | null {
  const { success, data } = metadataShape.safeParse(parseJson(metadata ?? ''))
  if (!success) return null
  const named = [data.To, data.Cc, data.Bcc].flatMap((list) => list ?? []).map(({ Address }) => Address)
  return named.length === 0 ? null : named
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
