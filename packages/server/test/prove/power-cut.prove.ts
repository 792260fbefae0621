import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import {
  ACCEPTED_PER_LIFE_MIN,
  crashesFor,
  crashUnderLoad,
  untilAccepted,
  untilAnnounced,
} from '../crash/crash-under-load.ts'
import { allInOne, embeddedStorage, folderStorage, onCuttableDisk, type Storage } from '../crash/installations.ts'
import { startMailLoad } from '../crash/mail-load.ts'
import { startChild } from '../support/child-server.ts'
import { mountCuttableDisk } from '../support/cuttable-disk.ts'
import { preload } from '../support/preload.ts'
import { run, startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, counted, none, progress, prove, SEED, some } from './proof.ts'

/** Under load; others come while the program starts. PROVE_CUTS shortens a trial, which is not written to the page. */
const CUTS = Number(process.env['PROVE_CUTS'] ?? 50)
const CONNECTIONS = 8
/** Of a program that does not sync. */
const UNSYNCED_CUTS = 6
/** Of one that changes and doubles mail, for which it needs no cut. */
const CARELESS_CUTS = 2
/** Of one that does not search its bucket. */
const FORGETFUL_CUTS = 6
/** Of the cuts during a start. Half of them come around its end, and the duration of a start varies. */
const OPEN_DATA_SHARE = 1 / 10
const BACKUPS = 5
const BACKED_UP_MAILS = 100
/** What these programs do not announce at once, they never do: files that were not synced may be empty, and the bucket is not searched. */
const CONTROL_RECOVERY_MS_MAX = 10_000

const FORGOTTEN = 'messages that the program neither announced nor set aside'
const KEY_FILES_DAMAGED = 'backups with missing or damaged key files'
const DATABASES_DAMAGED = 'backups with missing, damaged or other databases'

const NORMAL = preload('crash/normal-sync.ts')
const UNSYNCED = preload('crash/unsynced-program.ts')
const CARELESS = preload('crash/careless-storing.ts')
const WITHOUT_SEARCH = preload('crash/without-search.ts')

type Bucket = {
  name: string
  storageIn: (dataDir: string) => Storage
  /** What takes the sync away, and what it does. */
  unsynced: string[]
  withoutSync: string
}

const BUCKETS: Bucket[] = [
  {
    name: 'raw mail in SQLite',
    storageIn: embeddedStorage,
    unsynced: NORMAL,
    withoutSync: 'whose databases use `synchronous=normal`, and which is otherwise the same',
  },
  {
    name: 'raw mail in a folder',
    storageIn: (dataDir) => folderStorage(join(dataDir, 'mail')),
    unsynced: UNSYNCED,
    withoutSync:
      'whose database uses `synchronous=normal`, and which syncs neither its folder nor the key files nor the files and folders of raw mail',
  },
]

test.each(BUCKETS)('accepted mail survives a power cut: $name', async (bucket) => {
  const { name, storageIn, withoutSync } = bucket
  const cut = async (crashes: number, nodeArguments: string[], label: string, recoveryMsMax?: number) =>
    crashUnderLoad({
      installation: await onCuttableDisk((dataDir) =>
        allInOne({ dataDir, storage: storageIn(dataDir), nodeArguments }),
      ),
      crashes,
      connections: CONNECTIONS,
      seed: SEED,
      ...(recoveryMsMax !== undefined && { recoveryMsMax }),
      onCrash: (crash) => crash % 5 === 0 && progress(`${name}: ${label} ${crash} of ${crashes}`),
    })
  const report = await cut(crashesFor(CUTS), [], 'cut')
  const unsynced = await cut(crashesFor(UNSYNCED_CUTS), bucket.unsynced, 'unsynced, cut', CONTROL_RECOVERY_MS_MAX)
  const careless = await cut(crashesFor(CARELESS_CUTS), CARELESS, 'careless, cut')
  const forgetful = await cut(
    crashesFor(FORGETFUL_CUTS),
    WITHOUT_SEARCH,
    'forgetful program, cut',
    CONTROL_RECOVERY_MS_MAX,
  )
  prove({
    claim: `Mail that was accepted is stored once, byte for byte, after a power cut, by itself or by an operator’s retry: ${name}.`,
    tried:
      `Power cuts at random moments while ${CONNECTIONS} SMTP connections send mail, and while the program starts. ` +
      'Half of the cuts during a start come at any moment of the start time that this run measured. The other half come around its end, when the program opens its data. ' +
      'The data is on ext4 in an image on a loop device. A cut stops the program and copies the image; the program then continues with the copy. ' +
      'The copy has what the file system had handed to the disk, so this is a disk that loses nothing from its own cache. ' +
      'The program stops only when its running syncs have ended (`SIGSTOP`), so no cut falls inside a sync. ' +
      'At the end, the program runs until no message is announced for 90 s. What waits then must be set aside, after three failures and with a reason. An operator retries it.',
    figures: [
      atLeast(CUTS, 'power cuts under load', report.crashesUnderLoad),
      counted('power cuts during a start', report.crashesDuringStart),
      atLeast(
        Math.floor(report.crashesDuringStart * OPEN_DATA_SHARE),
        'power cuts during a start that came when the program had opened a database file or was ready',
        report.crashesWithOpenData,
      ),
      atLeast(CUTS * ACCEPTED_PER_LIFE_MIN, 'messages accepted', report.accepted),
      none('accepted messages lost', report.lost),
      none(FORGOTTEN, report.forgotten),
      none('messages with changed bytes', report.altered),
      none('messages stored twice', report.doubled),
      none('messages that were never sent', report.unknown),
      counted('messages stored without a received 250', report.unasked),
      counted('messages set aside because cuts hit them three times, and stored by a retry', report.setAside),
    ],
    control: {
      tried:
        `${unsynced.crashesUnderLoad} power cuts under load of a program ${withoutSync}; of its mail, only that whose bytes are nowhere counts as lost. ` +
        `${careless.crashesUnderLoad} of another, which changes a byte of one mail in ten, and stores one in ten twice and one in ten for another tag as well. ` +
        `${forgetful.crashesUnderLoad} of a third, which does not search its bucket for mail that it had not announced when it ended.`,
      figures: [
        counted('messages accepted by the program that does not sync', unsynced.accepted),
        some('accepted messages lost', unsynced.gone),
        counted('messages accepted by the program that does not search', forgetful.accepted),
        some(FORGOTTEN, forgetful.forgotten),
        counted('messages accepted by the program that changes and doubles mail', careless.accepted),
        some('messages with changed bytes', careless.altered),
        some('messages stored twice', careless.doubled),
        some('messages that were never sent', careless.unknown),
      ],
    },
  })
})

test('a backup survives a power cut once the command has ended', async () => {
  const dataDir = temporaryFolder()
  // Without given secrets, so that it generates some.
  await (await startProgram('serve', { DATA_DIR: dataDir })).stop()
  await storeMail(dataDir)
  const disk = await mountCuttableDisk()

  /** The folders of backups, each followed by a power cut. */
  async function backUp(name: string, nodeArguments: string[]): Promise<string[]> {
    const folders: string[] = []
    for (let number = 0; number < BACKUPS; number++) {
      const folder = join(disk.folder, `${name}-${number}`)
      const settings = { DATA_DIR: dataDir, NODE_OPTIONS: nodeArguments.join(' ') }
      expect(await run(['backup', '--to', folder], settings)).toMatchObject({ code: 0 })
      await disk.cut([], async () => {})
      folders.push(folder)
    }
    return folders
  }

  const withOtherFiles = (folders: string[]) => folders.filter((folder) => !hasSameKeyFiles(dataDir, folder))
  const withOtherRows = (folders: string[]) => folders.filter((folder) => !hasSameRows(dataDir, folder))
  const synced = await backUp('synced', [])
  const unsynced = await backUp('unsynced', UNSYNCED)
  const figures = [none(KEY_FILES_DAMAGED, withOtherFiles(synced)), none(DATABASES_DAMAGED, withOtherRows(synced))]
  for (const folder of synced) damage(join(folder, 'mailhatch.db'))
  prove({
    claim: 'A backup survives a power cut once the command has ended.',
    tried:
      `\`mailhatch backup\` of ${BACKED_UP_MAILS} messages or more to a disk whose power fails, ${BACKUPS} times, each followed by a power cut. ` +
      'Every row of the databases is compared.',
    figures,
    control: {
      tried:
        'The same with a command that syncs no files of its own. For the databases, one text of each backup was changed afterwards.',
      figures: [
        some(KEY_FILES_DAMAGED, withOtherFiles(unsynced)),
        atLeast(BACKUPS, DATABASES_DAMAGED, withOtherRows(synced).length),
      ],
    },
  })
})

async function storeMail(dataDir: string): Promise<void> {
  const { smtpPort, stop } = await startChild({ environment: { DATA_DIR: dataDir } })
  const load = startMailLoad({ domain: 'mailhatch.test', seed: SEED, mailBytes: { bytesMin: 500, bytesMax: 20_000 } })
  await load.during({ smtpPort, connections: CONNECTIONS }, () => untilAccepted(load, BACKED_UP_MAILS))
  await untilAnnounced(embeddedStorage(dataDir))
  await stop()
}

function hasSameKeyFiles(dataDir: string, backup: string): boolean {
  return ['secrets.json', 'api-key'].every(
    (name) =>
      existsSync(join(backup, name)) && readFileSync(join(backup, name)).equals(readFileSync(join(dataDir, name))),
  )
}

function hasSameRows(dataDir: string, backup: string): boolean {
  return ['inbox.db', 'mailhatch.db'].every((name) => {
    const found = rowsHash(join(backup, name))
    return found !== null && found === rowsHash(join(dataDir, name))
  })
}

/** A hash of all rows of all tables. Null if the database is missing or damaged. */
function rowsHash(path: string): string | null {
  if (!existsSync(path)) return null
  const database = new DatabaseSync(path, { readOnly: true })
  const hash = createHash('sha256')
  try {
    if (database.prepare('pragma quick_check').get()!['quick_check'] !== 'ok') return null
    const tables = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all()
    for (const { name } of tables) {
      hash.update(`${String(name)}\n`)
      for (const row of database.prepare(`select * from "${String(name)}"`).iterate()) {
        hash.update(JSON.stringify(row, asText))
      }
    }
    return hash.digest('hex')
  } catch {
    return null
  } finally {
    database.close()
  }
}

function damage(path: string): void {
  const database = new DatabaseSync(path)
  database.exec(`update messages set subject = subject || '!' where position = 1`)
  database.close()
}

/** Blobs would become objects with a number for each byte. */
function asText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
