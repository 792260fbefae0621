/** An error before the effect of a call, one after it, half of the effect, 10 s late, an effect at once and a late reply, no room. */
export type Kind = 'before' | 'after' | 'half' | 'late' | 'late reply' | 'full'

/** The calls that a bucket or database makes to its storage, and how each can fail. */
export type Calls = {
  kinds: Record<string, Kind[]>
  /** Kinds of errors, as the injection for this storage knows them. */
  errors: string[]
  /** The one for no room. R2 has none. */
  full?: string
  /** Errors that only come instead of the effect. */
  errorsBefore?: string[]
  /** Calls that are only made after another one failed. */
  causes?: Record<string, string>
  /** Calls that only mail of this size in bytes needs. */
  large?: { bytes: number; calls: string[] }
}

export type BucketName = 'folder' | 'SQLite' | 'S3' | 'R2'
export type DatabaseName = 'SQLite' | 'PostgreSQL'

const READ: Kind[] = ['before', 'after', 'late']
const READ_BYTES: Kind[] = [...READ, 'half']
const REMOVE: Kind[] = [...READ, 'late reply']
const WRITE: Kind[] = [...REMOVE, 'full']
/** Without an error for no room. */
const R2_WRITE = REMOVE
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
      remove: REMOVE,
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
      'DELETE upload': REMOVE,
      'GET object': READ_BYTES,
      'HEAD object': READ,
      'DELETE object': REMOVE,
      'POST delete': REMOVE,
      'GET list': READ_BYTES,
    },
    errors: ['cut', '409 OperationAborted', '503 SlowDown', '500 InternalError', '403 AccessDenied'],
    full: '507 InsufficientStorage',
    causes: { 'DELETE upload': 'PUT part' },
    large: { bytes: 5.5 * MIB, calls: ['POST uploads', 'PUT part', 'POST complete', 'DELETE upload'] },
  },
  R2: {
    kinds: {
      put: R2_WRITE,
      createMultipartUpload: R2_WRITE,
      'upload uploadPart': R2_WRITE,
      'upload complete': R2_WRITE,
      'upload abort': REMOVE,
      get: READ_BYTES,
      head: READ,
      delete: REMOVE,
      list: READ,
    },
    errors: ['cut', '10001', '10043', '10058', '10999'],
    causes: { 'upload abort': 'upload uploadPart' },
    large: {
      bytes: 5.5 * MIB,
      calls: ['createMultipartUpload', 'upload uploadPart', 'upload complete', 'upload abort'],
    },
  },
}

/** A pool only connects when its connections are lost. */
export const CONNECT = 'connect'

export const DATABASE_CALLS: Record<DatabaseName, Calls> = {
  SQLite: SQLITE,
  PostgreSQL: {
    kinds: { [CONNECT]: ['before', 'late'], begin: READ, statement: STATEMENT, commit: WRITE, query: READ },
    errors: ['cut'],
    full: 'ENOSPC',
    // A conflict, a deadlock, and a server that stops.
    errorsBefore: ['40001', '40P01', '57P01'],
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
