import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { untilAccepted, untilAnnounced } from '../crash/crash-under-load.ts'
import { embeddedStorage } from '../crash/installations.ts'
import { startMailLoad, type MailLoad } from '../crash/mail-load.ts'
import { compareWithStored, type Comparison } from '../crash/sent-mail.ts'
import { API_KEY, startChild } from '../support/child-server.ts'
import { NEWEST_SCHEMA } from '../../src/store/sqlite-migrations.ts'
import { preload } from '../support/preload.ts'
import { moveToPreviousSchema, PREVIOUS_SCHEMA, schemaOf } from '../support/previous-schema.ts'
import { run } from '../support/program.ts'
import { temporaryFolder } from '../support/server.ts'
import { listEverything } from '../support/stored-mail.ts'
import { atLeast, atMost, counted, progress, prove, SEED, type Figure } from './proof.ts'

const BACKUPS = 10
const CONTROL_COPIES = 3
const CONNECTIONS = 8
/** Each backup begins only after this many more mails were accepted. */
const ACCEPTED_BETWEEN = 100
const MAIL_BYTES = { bytesMin: 500, bytesMax: 60_000 }

/** A copy of a data folder, and the mails that were accepted before the copy began. */
type Copy = { folder: string; accepted: Set<string> }

const CARELESS = preload('crash/careless-storing.ts')

const newLoad = () => startMailLoad({ domain: 'mailhatch.test', seed: SEED, mailBytes: MAIL_BYTES })

test('a backup under load is complete when it is restored elsewhere', async () => {
  const folder = temporaryFolder()
  const dataDir = temporaryFolder()
  const load = newLoad()
  const { smtpPort, stop } = await startChild({ environment: { DATA_DIR: dataDir } })
  const backups: Copy[] = []
  const copies: Copy[] = []
  await load.during({ smtpPort, connections: CONNECTIONS }, async () => {
    while (backups.length < BACKUPS) {
      backups.push(await copyAfterMail(load, join(folder, `backup-${backups.length}`), (to) => backUp(dataDir, to)))
      progress(`backup ${backups.length} of ${BACKUPS} taken`)
    }
    while (copies.length < CONTROL_COPIES) {
      copies.push(await copyAfterMail(load, join(folder, `copy-${copies.length}`), (to) => copyFiles(dataDir, to)))
    }
  })
  await stop()

  const restored: Comparison[] = []
  for (const backup of backups) {
    restored.push(await restore(backup, load))
    progress(`backup ${restored.length} of ${BACKUPS} restored`)
  }
  const damaged = await restoreDamaged()
  // A program may refuse to start on files that do not belong together.
  const control: (Comparison | null)[] = []
  for (const copy of copies) control.push(await restore(copy, load).catch(() => null))
  prove({
    claim: 'A backup that is taken while mail arrives has every mail that was accepted before, once and byte for byte.',
    tried: `\`mailhatch backup\` ran ${BACKUPS} times while ${CONNECTIONS} SMTP connections sent mail. Each backup is served by a new program.`,
    figures: [
      atLeast(BACKUPS, 'complete backups', restored.filter(isComplete).length),
      counted('messages accepted before the last backup', restored.at(-1)!.accepted),
      ...figuresOf(restored),
    ],
    control: {
      tried: `${CONTROL_COPIES} copies of the files without the command and without write-ahead logs, under the same load. A backup of a server ${DAMAGE}.`,
      figures: [
        atLeast(1, 'incomplete copies', control.filter((found) => !found || !isComplete(found)).length),
        counted('copies that no program can use', control.filter((found) => !found).length),
        ...controlFiguresOf(damaged),
      ],
    },
  })
})

test('a backup of the previous schema version is complete when this version restores it', async () => {
  const source = await storeMail()
  moveToPreviousSchema(join(source.dataDir, 'mailhatch.db'))
  const backup = await backUpAtRest(source)
  const schemas = { before: schemaOf(join(backup.folder, 'mailhatch.db')), after: 0 }
  const found = await restore(backup, source.load)
  schemas.after = schemaOf(join(backup.folder, 'mailhatch.db'))
  prove({
    claim: 'A backup of an older schema is complete when this version restores it.',
    tried:
      `Schema ${PREVIOUS_SCHEMA} is the last one of the version before. A program of schema ${NEWEST_SCHEMA} stores mail and is stopped. Its rows are copied into tables that the migrations up to schema ${PREVIOUS_SCHEMA} create, without the text index. ` +
      `This version's \`mailhatch backup\` copies that file, and a program of schema ${NEWEST_SCHEMA} is started on the backup. The earlier version itself does not run.`,
    figures: [
      counted('schema of the backup', schemas.before),
      atLeast(NEWEST_SCHEMA, 'schema after the restore', schemas.after),
      atLeast(ACCEPTED_BETWEEN, 'messages accepted before the backup', found.accepted),
      ...figuresOf([found]),
    ],
    control: {
      tried: `The same with a server ${DAMAGE}.`,
      figures: controlFiguresOf(await restoreDamaged((dataDir) => moveToPreviousSchema(join(dataDir, 'mailhatch.db')))),
    },
  })
  expect(schemas.before).toBe(PREVIOUS_SCHEMA)
})

type Source = { dataDir: string; load: MailLoad }

/** A data folder with mail, whose server has stopped. */
async function storeMail(nodeArguments: string[] = []): Promise<Source> {
  const dataDir = temporaryFolder()
  const load = newLoad()
  const { smtpPort, stop } = await startChild({ environment: { DATA_DIR: dataDir }, nodeArguments })
  await load.during({ smtpPort, connections: CONNECTIONS }, () => untilAccepted(load, ACCEPTED_BETWEEN))
  await untilAnnounced(embeddedStorage(dataDir))
  await stop()
  return { dataDir, load }
}

const backUpAtRest = ({ dataDir, load }: Source) =>
  copyAfterMail(load, join(temporaryFolder(), 'backup'), (to) => backUp(dataDir, to), 0)

const DAMAGE =
  'that changes a byte of one mail in ten and stores one in ten twice, from which the bytes of one mail were removed'

/** What the comparison finds in such a backup. */
async function restoreDamaged(change: (dataDir: string) => void = () => {}): Promise<Comparison> {
  const source = await storeMail(CARELESS)
  change(source.dataDir)
  const backup = await backUpAtRest(source)
  removeOneMail(join(backup.folder, 'inbox.db'))
  return restore(backup, source.load)
}

async function copyAfterMail(
  load: MailLoad,
  folder: string,
  copy: (folder: string) => void | Promise<void>,
  acceptedMore = ACCEPTED_BETWEEN,
): Promise<Copy> {
  await untilAccepted(load, acceptedMore)
  const accepted = new Set([...load.sent].filter(([, mail]) => mail.isAccepted).map(([id]) => id))
  await copy(folder)
  return { folder, accepted }
}

async function backUp(dataDir: string, folder: string): Promise<void> {
  expect(await run(['backup', '--to', folder], { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
}

/** Without the write-ahead logs, and not at one moment. */
function copyFiles(dataDir: string, folder: string): void {
  mkdirSync(folder)
  const names = readdirSync(dataDir).filter((name) => !/-(?:wal|shm)$/.test(name))
  for (const name of names) cpSync(join(dataDir, name), join(folder, name), { recursive: true })
}

function removeOneMail(inboxFile: string): void {
  const inbox = new DatabaseSync(inboxFile)
  inbox.exec(`delete from objects where key = (select min(key) from objects where key like 'raw/%')`)
  inbox.close()
}

/** Serves the copy and compares it with what was accepted before it. */
async function restore({ folder, accepted }: Copy, load: MailLoad): Promise<Comparison> {
  const storage = embeddedStorage(folder)
  const server = await startChild({ environment: { DATA_DIR: folder } })
  await untilAnnounced(storage)
  const messages = await listEverything(new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }))
  await server.stop()
  const sent = new Map([...load.sent].map(([id, { hash }]) => [id, { hash, isAccepted: accepted.has(id) }]))
  const bucket = await storage.openBucket()
  try {
    return await compareWithStored(sent, messages, bucket)
  } finally {
    await bucket.close()
  }
}

function isComplete({ lost, altered, doubled, unknown, strayObjects }: Comparison): boolean {
  return [lost, altered, doubled, unknown].every((found) => found.length === 0) && strayObjects === 0
}

function figuresOf(found: Comparison[]): Figure[] {
  const total = (list: 'lost' | 'altered' | 'doubled') => found.reduce((sum, one) => sum + one[list].length, 0)
  return [
    atMost(0, 'accepted messages lost', total('lost')),
    atMost(0, 'messages with changed bytes', total('altered')),
    atMost(0, 'messages stored twice', total('doubled')),
  ]
}

function controlFiguresOf({ lost, altered, doubled }: Comparison): Figure[] {
  return [
    atLeast(1, 'accepted messages lost', lost.length),
    atLeast(1, 'messages with changed bytes', altered.length),
    atLeast(1, 'messages stored twice', doubled.length),
  ]
}
