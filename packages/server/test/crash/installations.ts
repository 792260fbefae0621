import { join } from 'node:path'
import { bytesOf, type Bucket } from '../../src/bucket/bucket.ts'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { openS3Bucket } from '../../src/bucket/s3-bucket.ts'
import { parseS3Location } from '../../src/bucket/s3-location.ts'
import { metadataPrefix, parseMetadataKey } from '../../src/domain/object-keys.ts'
import { decodeMetadata } from '../../src/worker/metadata.ts'
import { ADMIN_TOKEN } from '../support/admin-subject.ts'
import { API_KEY, type ChildOptions, type ChildServer } from '../support/child-server.ts'
import { mountCuttableDisk } from '../support/cuttable-disk.ts'
import { freePort } from '../support/free-port.ts'
import { withDatabase } from '../support/journey-database.ts'
import { makeTeam } from '../support/made-team.ts'
import { S3_CREDENTIALS } from '../support/object-storage.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'
import { keysIn, unprocessedMail } from '../support/stored-mail.ts'

/** A way to run the product, for tests that end its programs without warning. */
export type Installation = {
  programs: ChildOptions[]
  /** Indexes of the programs that receive mail and that serve the API. */
  smtpProgram: number
  apiProgram: number
  /** The domain and the key of the team that gets the mail. */
  domain: string
  apiKey: string
  mailBytes: { bytesMin: number; bytesMax: number }
  storage: Storage
  /** Ends these programs at once. They are gone when it resolves. */
  crash(servers: ChildServer[]): Promise<void>
}

type Waiting = { id: string; tag: string | null }

/** Where raw mail is kept. */
export type Storage = {
  settings: Record<string, string>
  /** The number of mails that are still to be announced, while the programs run. */
  countWaiting(): number | Promise<number>
  /** These, while the programs run. Without a tag if their metadata cannot be read. */
  readWaiting(): Waiting[] | Promise<Waiting[]>
  /** After the programs have stopped. */
  openBucket(): Bucket | Promise<Bucket>
}

const MAIL_BYTES = { bytesMin: 500, bytesMax: 60_000 }
/** Where the whole disk is copied with every crash. */
const SMALL_MAIL_BYTES = { bytesMin: 500, bytesMax: 20_000 }

export function embeddedStorage(dataDir: string): Storage {
  const file = join(dataDir, 'inbox.db')
  return {
    settings: {},
    countWaiting: () => unprocessedMail(file).length,
    readWaiting: () => unprocessedMail(file),
    openBucket: () => openEmbeddedBucket(file),
  }
}

export function folderStorage(folder: string): Storage {
  const open = () => openFolderBucket(folder, { toPut: false })
  return {
    settings: { INBOX_STORAGE: `file:${folder}` },
    countWaiting: async () => (await unprocessedIn(await open())).length,
    readWaiting: async () => readUnprocessed(await open()),
    openBucket: open,
  }
}

export function s3Storage(s3Url: string): Storage {
  const open = () => openS3Bucket({ location: parseS3Location(s3Url), credentials: S3_CREDENTIALS })
  return {
    settings: {
      INBOX_STORAGE: s3Url,
      S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    },
    countWaiting: async () => (await unprocessedIn(await open())).length,
    readWaiting: async () => readUnprocessed(await open()),
    openBucket: open,
  }
}

function unprocessedIn(bucket: Bucket): Promise<string[]> {
  return keysIn(bucket, metadataPrefix('unprocessed'))
}

async function readUnprocessed(bucket: Bucket): Promise<Waiting[]> {
  const found: Waiting[] = []
  for (const key of await unprocessedIn(bucket)) {
    const object = await bucket.get(key)
    // Announced meanwhile.
    if (object === null) continue
    found.push({ id: parseMetadataKey(key)!.id, tag: tagIn(await bytesOf(object)) })
  }
  return found
}

/** Null also for a file that a program without syncs left empty. */
function tagIn(metadata: Uint8Array): string | null {
  try {
    return decodeMetadata(metadata).tag
  } catch {
    return null
  }
}

/** One program that does everything. */
export async function allInOne({
  dataDir = temporaryFolder(),
  storage = embeddedStorage(dataDir),
  nodeArguments = [],
}: { dataDir?: string; storage?: Storage; nodeArguments?: string[] } = {}): Promise<Installation> {
  const environment = await withDatabase({ DATA_DIR: dataDir, ADMIN_TOKEN, ...storage.settings })
  return {
    programs: [{ environment, nodeArguments }],
    smtpProgram: 0,
    apiProgram: 0,
    domain: 'mailhatch.test',
    apiKey: API_KEY,
    mailBytes: MAIL_BYTES,
    storage,
    crash: killAll,
  }
}

/** Worker and API as two programs, on PostgreSQL. */
export async function apart({
  databaseUrl,
  storage,
  nodeArguments = [],
}: {
  databaseUrl: string
  storage: Storage
  nodeArguments?: string[]
}): Promise<Installation> {
  const port = String(await freePort())
  const api = {
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: databaseUrl,
    PORT: port,
    RATE_LIMIT: 'off',
    ...storage.settings,
  }
  const worker = {
    DATA_DIR: temporaryFolder(),
    WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/inbox`,
    WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
    ADMIN_TOKEN,
    ...storage.settings,
  }
  const domain = 'qa.test'
  return {
    programs: [
      { program: 'worker', environment: worker, nodeArguments },
      { program: 'api', environment: api, nodeArguments },
    ],
    smtpProgram: 0,
    apiProgram: 1,
    domain,
    apiKey: await makeTeam(api, { name: 'QA', domain, plan: 'enterprise' }),
    mailBytes: MAIL_BYTES,
    storage,
    crash: killAll,
  }
}

/** The same on a disk whose power fails: the program stops, and continues with what the disk had at that moment. */
export async function onCuttableDisk(arrange: (dataDir: string) => Promise<Installation>): Promise<Installation> {
  const disk = await mountCuttableDisk()
  const installation = await arrange(join(disk.folder, 'data'))
  return {
    ...installation,
    mailBytes: SMALL_MAIL_BYTES,
    crash: (servers) =>
      disk.cut(
        servers.map((server) => server.process.pid!),
        () => killAll(servers),
      ),
  }
}

/** `kill -9`. A program that has ended by itself is a fault. */
async function killAll(servers: ChildServer[]): Promise<void> {
  for (const server of servers) {
    const { exitCode, signalCode } = server.process
    if (exitCode !== null || signalCode !== null) throw new Error(`A program ended by itself: ${server.complaints()}`)
  }
  await Promise.all(servers.map((server) => server.kill()))
}
