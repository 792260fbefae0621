import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { temporaryFolder } from './server.ts'

/** What the contract suite observes of a SQLite file. */
export function embeddedPlace() {
  const path = join(temporaryFolder(), 'inbox.db')
  return {
    open: () => openEmbeddedBucket(path),
    storedBytes: () =>
      Number(ask(path, 'select (select total(length(body)) from parts) + (select total(length(body)) from objects)')),
    unfinishedUploads: () =>
      ask(
        path,
        'select count(*) from parts where upload not in (select upload from objects where upload is not null)',
      ) === 0
        ? []
        : ['parts'],
  }
}

/** The same of a folder. */
export function folderPlace() {
  const root = join(temporaryFolder(), 'mail')
  return {
    open: () => openFolderBucket(root),
    storedBytes: () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        // A file may be renamed meanwhile.
        .map((name) => statSync(join(root, name), { throwIfNoEntry: false }))
        .reduce((sum, status) => sum + (status?.isFile() ? status.size : 0), 0),
    unfinishedUploads: () => readdirSync(join(root, '.incoming')),
  }
}

/** The single value of the query, as another connection sees it. */
export function ask(path: string, query: string): unknown {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    return Object.values(connection.prepare(query).get()!)[0]
  } finally {
    connection.close()
  }
}
