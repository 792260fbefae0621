import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'

export type MailToStore = { id: string; raw: Buffer; from: string; to: string[]; at: number }

type MailpitOptions = {
  tenant?: string
  /** Version 1.23 added the column `Compressed`; before, all mail was. */
  isOld?: boolean
  isCompressed?: boolean
}

/** The tables that Mailpit's migrations result in, as far as they have mail. */
export function createMailpitTables(database: DatabaseSync, { tenant = '', isOld = false }: MailpitOptions = {}): void {
  database.exec(`
    create table ${tenant}mailbox (
      Created integer not null, ID text not null, MessageID text not null, Subject text not null, Metadata text,
      Size integer not null, Inline integer not null, Attachments integer not null, Read integer, SearchText text,
      Snippet text not null default '');
    create index ${tenant}idx_created on ${tenant}mailbox (Created);
    create unique index ${tenant}idx_id on ${tenant}mailbox (ID);
    create table ${tenant}mailbox_data (
      ID text key not null, Email blob${isOld ? '' : `, Compressed integer not null default '0'`});
    create unique index ${tenant}idx_data_id on ${tenant}mailbox_data (ID);`)
}

export function addMailpitMail(
  database: DatabaseSync,
  { id, raw, to, at }: MailToStore,
  { tenant = '', isOld = false, isCompressed = true }: MailpitOptions = {},
): void {
  const metadata = JSON.stringify({ To: to.map((address) => ({ Name: 'Ann, A.', Address: address })) })
  database
    .prepare(`insert into ${tenant}mailbox values (?, ?, '', '', ?, ?, 0, 0, 0, '', '')`)
    .run(at, id, metadata, raw.byteLength)
  const [email, value] = isCompressed ? [zstdCompressSync(raw), '?'] : [raw, 'cast(? as text)']
  const values = isOld ? `(?, ${value})` : `(?, ${value}, ${isCompressed ? 1 : 0})`
  database.prepare(`insert into ${tenant}mailbox_data values ${values}`).run(id, email)
}

export function writeMailpit(path: string, mails: MailToStore[], options: MailpitOptions = {}): void {
  const database = new DatabaseSync(path)
  createMailpitTables(database, options)
  database.exec('begin')
  for (const mail of mails) addMailpitMail(database, mail, options)
  database.exec('commit')
  database.close()
}

/** MailHog with `-storage=maildir`. */
export function writeMailHog(folder: string, mails: MailToStore[]): void {
  mkdirSync(folder, { recursive: true })
  for (const { id, raw, from, to, at } of mails) {
    const envelope = ['HELO:<app>', `FROM:<${from}>`, ...to.map((address) => `TO:<${address}>`), '', '']
    writeAt(join(folder, `${id}@mailhog.example`), Buffer.concat([Buffer.from(envelope.join('\r\n')), raw]), at)
  }
}

/** MailDev with `--mail-directory`: attachments are beside the mail. */
export function writeMailDev(folder: string, mails: MailToStore[]): void {
  writeEml(folder, mails)
  for (const { id, raw } of mails) {
    mkdirSync(join(folder, id))
    writeFileSync(join(folder, id, 'attached.eml'), raw)
  }
}

/** One file for each mail, as `mailpit dump` writes them. */
export function writeEml(folder: string, mails: MailToStore[]): void {
  mkdirSync(folder, { recursive: true })
  for (const { id, raw, at } of mails) writeAt(join(folder, `${id}.eml`), raw, at)
}

export function writeMaildir(folder: string, mails: MailToStore[]): void {
  for (const name of ['cur', 'new', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
  for (const [index, { id, raw, at }] of mails.entries()) {
    writeAt(join(folder, index % 2 === 0 ? 'new' : 'cur', `${id}.host:2,S`), raw, at)
  }
  writeFileSync(join(folder, 'tmp', 'half'), 'To: qa@mailhatch.test\r\n')
}

/** Quoted as mboxrd. */
export function writeMbox(path: string, mails: MailToStore[]): void {
  const parts = mails.map(({ raw, from }) => {
    const quoted = raw.toString('latin1').replaceAll(/^(>*From )/gm, '>$1')
    return `From ${from} Mon Jan  5 10:00:00 2026\r\n${quoted}\r\n`
  })
  writeFileSync(path, parts.join(''), 'latin1')
}

function writeAt(path: string, content: Uint8Array, at: number): void {
  writeFileSync(path, content)
  utimesSync(path, at / 1000, at / 1000)
}
