import type { SeededRandom } from '../support/seeded-random.ts'
import type { CallPlan, Fault } from '../support/step-faults.ts'

/** An error before the effect of a call, one after it, half of the effect, 10 s late, no room. */
export type Kind = 'before' | 'after' | 'half' | 'late' | 'full'

/** The calls that a bucket or database makes to its storage, and how each can fail. */
export type Calls = {
  kinds: Record<string, Kind[]>
  /** Kinds of errors, as the injection for this storage knows them, and the one for no room. */
  errors: string[]
  full: string
  /** Calls that are only made after another one failed. */
  causes?: Record<string, string>
  /** Calls that only mail of this size in bytes needs. */
  large?: { bytes: number; calls: string[] }
}

export type BucketName = 'folder' | 'SQLite' | 'S3' | 'R2'
export type DatabaseName = 'SQLite' | 'PostgreSQL'

const READ: Kind[] = ['before', 'after', 'late']
const READ_BYTES: Kind[] = [...READ, 'half']
const WRITE: Kind[] = [...READ, 'full']
const WRITE_BYTES: Kind[] = [...WRITE, 'half']
/** A statement of a transaction: its effect without what follows is half of the transaction. */
const STATEMENT: Kind[] = ['before', 'half', 'late', 'full']

/** In SQLite, reads have no effect, and a failed one has no result. */
const SQLITE: Calls = {
  kinds: { begin: WRITE, statement: STATEMENT, commit: WRITE, query: ['before', 'late'] },
  errors: ['EIO'],
  full: 'ENOSPC',
}

const MIB = 1024 * 1024

export const BUCKET_CALLS: Record<BucketName, Calls> = {
  SQLite: {
    ...SQLITE,
    kinds: { ...SQLITE.kinds, 'statement of a part': STATEMENT },
    large: { bytes: 1.5 * MIB, calls: ['statement of a part'] },
  },
  folder: {
    kinds: {
      'make folder': WRITE,
      'open to write': WRITE,
      write: WRITE_BYTES,
      'sync to write': WRITE,
      'close to write': READ,
      look: READ,
      rename: WRITE,
      remove: READ,
      'read folder': READ,
      'open to read': READ,
      'stat to read': READ,
      read: READ_BYTES,
      'sync to read': READ,
      'close to read': READ,
    },
    errors: ['EIO', 'EMFILE'],
    full: 'ENOSPC',
  },
  S3: {
    kinds: {
      'PUT object': WRITE_BYTES,
      'POST uploads': WRITE,
      'PUT part': WRITE_BYTES,
      'POST complete': WRITE,
      'DELETE upload': READ,
      'GET object': READ_BYTES,
      'HEAD object': READ,
      'DELETE object': READ,
      'POST delete': READ,
      'GET list': READ_BYTES,
    },
    errors: ['cut', '409 OperationAborted', '503 SlowDown', '500 InternalError', '403 AccessDenied'],
    full: '507 InsufficientStorage',
    causes: { 'DELETE upload': 'PUT part' },
    large: { bytes: 5.5 * MIB, calls: ['POST uploads', 'PUT part', 'POST complete', 'DELETE upload'] },
  },
  R2: {
    kinds: {
      put: WRITE,
      createMultipartUpload: WRITE,
      'upload uploadPart': WRITE,
      'upload complete': WRITE,
      'upload abort': READ,
      get: READ_BYTES,
      head: READ,
      delete: READ,
      list: READ,
    },
    errors: ['cut', '10001', '10043', '10058', '10999'],
    full: '10999',
    causes: { 'upload abort': 'upload uploadPart' },
    large: {
      bytes: 5.5 * MIB,
      calls: ['createMultipartUpload', 'upload uploadPart', 'upload complete', 'upload abort'],
    },
  },
}

export const DATABASE_CALLS: Record<DatabaseName, Calls> = {
  SQLite: SQLITE,
  PostgreSQL: {
    kinds: { connect: ['before', 'late'], begin: READ, statement: STATEMENT, commit: WRITE, query: READ },
    errors: ['cut'],
    full: 'ENOSPC',
  },
}

/** The name of a request to S3, from its method, path and query. */
export function s3CallOf(step: string): string {
  const [method = '', target = ''] = step.split(' ')
  const query = new URL(target, 'http://s3.test').searchParams
  if (query.has('list-type')) return 'GET list'
  if (query.has('delete')) return 'POST delete'
  if (query.has('uploads')) return 'POST uploads'
  if (query.has('partNumber')) return 'PUT part'
  if (query.has('uploadId')) return method === 'POST' ? 'POST complete' : 'DELETE upload'
  return `${method} object`
}

/** The name of a call of the R2 binding, without the key. */
export function r2CallOf(step: string): string {
  return /^(?:upload )?\w+/.exec(step)![0]
}

/** Its name is the combination of side, call and kind. */
export type Run = { name: string; side: 'bucket' | 'database'; kind: Kind; plan: CallPlan; mailBytes: number }

const LATE_MS = 10_000
export const SMALL_BYTES = 2_000

/**
 * As many runs as wanted, and more if there are more kinds of faults: each that is late or needs large mail once, all
 * others equally often.
 */
export function planRuns(
  random: SeededRandom,
  { bucket, database, count }: { bucket: BucketName; database: DatabaseName; count: number },
): Run[] {
  const sides = [
    { side: 'bucket' as const, calls: BUCKET_CALLS[bucket] },
    { side: 'database' as const, calls: DATABASE_CALLS[database] },
  ]
  const all = sides.flatMap(({ side, calls }) =>
    Object.entries(calls.kinds).flatMap(([call, kinds]) => kinds.map((kind) => ({ side, calls, call, kind }))),
  )
  const quick = all.filter(({ calls, call, kind }) => kind !== 'late' && !needsLarge(calls, call))
  const wanted = Array.from({ length: Math.max(count, all.length) }, (_, index) =>
    index < all.length ? all[index]! : quick[(index - all.length) % quick.length]!,
  )
  return shuffled(random, wanted).map(({ side, calls, call, kind }) => ({
    name: `${side}: ${call}, ${kind}`,
    side,
    kind,
    plan: planOf(random, calls, { call, kind }),
    mailBytes: needsLarge(calls, call) ? calls.large!.bytes : SMALL_BYTES,
  }))
}

/** Neither late nor with large mail. */
export function isQuick({ kind, mailBytes }: Run): boolean {
  return kind !== 'late' && mailBytes === SMALL_BYTES
}

function needsLarge({ large }: Calls, call: string): boolean {
  return large?.calls.includes(call) ?? false
}

function planOf(random: SeededRandom, calls: Calls, { call, kind }: { call: string; kind: Kind }): CallPlan {
  const fault: Fault =
    kind === 'full' ? { when: 'before', kind: calls.full } : { when: kind, kind: random.pick(calls.errors) }
  const cause = calls.causes?.[call]
  return {
    call,
    skip: random.pick([0, 0, 0, 1, 2]),
    fault: kind === 'late' ? { ...fault, lateMs: LATE_MS } : fault,
    lasts: random.pick(lastingOf(kind)),
    ...(cause === undefined ? {} : { cause }),
  }
}

/** A full disk still serves reads. */
function lastingOf(kind: Kind): CallPlan['lasts'][] {
  if (kind === 'late') return ['once']
  return kind === 'full' ? ['once', 'call'] : ['once', 'once', 'call', 'all']
}

function shuffled<Item>(random: SeededRandom, items: Item[]): Item[] {
  const left = [...items]
  return Array.from(items, () => left.splice(random.below(left.length), 1)[0]!)
}
