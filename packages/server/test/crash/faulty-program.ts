import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { API_KEY } from '../support/child-server.ts'
import { faultyFiles } from '../support/faulty-files.ts'
import { SECRET_KEY } from '../support/journey-database.ts'
import { r2Place, s3Place, type ObjectStorage } from '../support/object-storage.ts'
import { administer } from '../support/postgres.ts'
import { serveIn, temporaryFolder } from '../support/server.ts'
import { callFaults, type CallCounts, type CallPlan, type FaultSource } from '../support/step-faults.ts'
import { watchWriter } from '../support/watched-writer.ts'
import {
  BUCKET_CALLS,
  CONNECT,
  DATABASE_CALLS,
  r2CallOf,
  s3CallOf,
  type BucketName,
  type Calls,
  type DatabaseName,
} from './fault-calls.ts'

/** What makes the calls of a bucket or a database fail. */
export type FaultPort = {
  arm(plan: CallPlan): Promise<void>
  heal(): Promise<void>
  /** How many calls have failed since it was armed. */
  hits(): number
  /** How many calls were made since then, until it is healed. */
  calls(): CallCounts
}

/** The whole product in this process, whose bucket and database fail on demand. */
export type FaultyProgram = {
  smtpPort(): number
  apiUrl(): string
  ports: Record<'bucket' | 'database', FaultPort>
  /** Lets time pass for the product, so that what it retries is due. */
  passTime(milliseconds: number): void
  /** Straight from the storage. */
  bucket(): Bucket
  start(): Promise<void>
  stop(): Promise<void>
}

export type Arrangement = {
  bucket: BucketName
  database: DatabaseName
  storage: ObjectStorage
  /** The URL of a new database, for PostgreSQL. */
  newDatabase: () => Promise<string>
  /** How long a client of S3 waits for a response: in half of the programs, longer than a late call takes. */
  s3ResponseMs: number
}

type Parts = {
  openBucket: () => Bucket | Promise<Bucket>
  threadUrl: URL
  /** By the name of the file. */
  queryFaults: Record<string, FaultSource>
}

/** Calls that no plan makes fail, which has to be empty. */
export const unplannedCalls = new Set<string>()

/** Programs by their data folder, for the modules that the test file replaces. */
export const programs = new Map<string, Parts>()
/** By the name of the database. */
export const postgresFaults = new Map<string, FaultSource>()

export async function startFaultyProgram(arrangement: Arrangement): Promise<FaultyProgram> {
  const dataDir = temporaryFolder()
  const clock = { ahead: 0 }
  const writer = watchWriter()
  const inbox = inboxOf(arrangement, { dataDir, writer })
  const database = await databaseOf(arrangement, writer)
  let bucket: Bucket
  let running: Awaited<ReturnType<typeof serveIn>>
  programs.set(dataDir, {
    openBucket: async () => (bucket = await inbox.open()),
    threadUrl: writer.threadUrl,
    queryFaults: { 'inbox.db': inbox.faultOf, 'mailhatch.db': database.faultOf },
  })
  const environment = { BOOTSTRAP_API_KEY: API_KEY, RATE_LIMIT: 'off', ...database.settings }
  const start = async () => void (running = await serveIn(dataDir, environment, () => Date.now() + clock.ahead))
  await start()
  onTestFinished(() => running.close())
  return {
    smtpPort: () => running.smtpPort!,
    apiUrl: () => `http://127.0.0.1:${running.apiPort}`,
    ports: { bucket: inbox.port, database: database.port },
    passTime: (milliseconds) => void (clock.ahead += milliseconds),
    bucket: () => bucket,
    start,
    stop: () => running.close(),
  }
}

type Watched = ReturnType<typeof watchWriter>
type FaultySide = { port: FaultPort; faultOf: FaultSource }

function inboxOf(
  { bucket, storage, s3ResponseMs }: Arrangement,
  { dataDir, writer }: { dataDir: string; writer: Watched },
): FaultySide & { open: () => Bucket | Promise<Bucket> } {
  if (bucket === 'SQLite') {
    const file = join(dataDir, 'inbox.db')
    return { ...inThread(writer, 'inbox.db'), open: () => openEmbeddedBucket(file) }
  }
  const side = inProcess(BUCKET_CALLS[bucket], { S3: s3CallOf, R2: r2CallOf, folder: undefined }[bucket])
  if (bucket === 'folder') {
    const files = faultyFiles(side.faultOf, { losesNames: true })
    return { ...side, open: () => openFolderBucket(join(dataDir, 'mail'), { files }) }
  }
  const { open } = bucket === 'S3' ? s3Place(storage, side.faultOf, s3ResponseMs) : r2Place(storage, side.faultOf)
  return { ...side, open }
}

async function databaseOf(
  { database, newDatabase }: Arrangement,
  writer: Watched,
): Promise<FaultySide & { settings: Record<string, string> }> {
  if (database === 'SQLite') return { ...inThread(writer, 'mailhatch.db'), settings: {} }
  const url = await newDatabase()
  const name = new URL(url).pathname.slice(1)
  const side = inProcess(DATABASE_CALLS.PostgreSQL)
  postgresFaults.set(name, side.faultOf)
  const cutAll = () =>
    administer(
      new URL('/postgres', url).href,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
  const arm = async (plan: CallPlan) => {
    await side.port.arm(plan)
    // Otherwise the pool has enough connections.
    if (plan.call === CONNECT) await cutAll()
  }
  return {
    ...side,
    port: { ...side.port, arm },
    settings: { MAILHATCH_DATABASE_URL: url, MAILHATCH_SECRET_KEY: SECRET_KEY },
  }
}

/** Faults of calls that are made in this thread. */
function inProcess({ kinds }: Calls, callOf = (step: string) => step): FaultySide {
  let current: ReturnType<typeof callFaults> | null = null
  let hits = 0
  return {
    faultOf(step) {
      const call = callOf(step)
      if (!(call in kinds)) unplannedCalls.add(call)
      return current?.faultOf(call) ?? null
    },
    port: {
      async arm(plan) {
        current = callFaults(plan)
      },
      async heal() {
        hits = current?.hits() ?? 0
        current = null
      },
      hits: () => current?.hits() ?? hits,
      calls: () => current?.calls() ?? {},
    },
  }
}

/** Faults of a file of SQLite: its queries run in this thread, everything else in that of the writer. */
function inThread(writer: Watched, file: string): FaultySide {
  const queries = inProcess(DATABASE_CALLS.SQLite)
  let hits = 0
  return {
    faultOf: queries.faultOf,
    port: {
      async arm(plan) {
        hits = 0
        await queries.port.arm(plan)
        await writer.setFaults(file, plan)
      },
      async heal() {
        await queries.port.heal()
        hits = await writer.setFaults(file, null)
      },
      hits: () => queries.port.hits() + Math.max(hits, writer.hits()),
      // Only queries run in this thread, so that no name is in both.
      calls: () => ({ ...queries.port.calls(), ...writer.calls() }),
    },
  }
}
