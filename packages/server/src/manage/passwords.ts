import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../domain/errors.ts'
import { createSemaphore } from '../domain/semaphore.ts'

// OWASP's first choice for Argon2id. Takes about 50 ms of one core here.
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Half of libuv's four threads: the others are for files and DNS. */
const AT_ONCE_MAX = 2
/** About five seconds of hashing. When the queue is full, sign-in responds with 503. */
const QUEUED_MAX = 200

const deriveKey = promisify(argon2)

export type Passwords = {
  hash(password: string): Promise<string>
  /** Without a hash it takes the same time and returns false. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Argon2id in threads, with limited concurrency. */
export function createPasswords(): Passwords {
  const limited = createSemaphore(AT_ONCE_MAX)
  let pending = 0

  async function derive(password: string, { salt, ...cost }: Recipe): Promise<Buffer> {
    if (pending >= AT_ONCE_MAX + QUEUED_MAX) {
      throw new AppError('server_busy', 'Too many people are signing in. Please try again.', {
        headers: { 'retry-after': '5' },
      })
    }
    pending++
    try {
      // The same characters can be typed in several ways.
      const message = password.normalize('NFKC')
      return await limited(() => deriveKey('argon2id', { message, nonce: salt, tagLength: HASH_BYTES, ...cost }))
    } finally {
      pending--
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format({ ...COST, salt }, await derive(password, { ...COST, salt }))
    },
    async matches(password, hash) {
      const expected = parse(hash ?? DUMMY_HASH)
      const derived = await derive(password, expected.recipe)
      return timingSafeEqual(derived, expected.key) && hash !== null
    },
  }
}

type Recipe = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'> & { salt: Buffer }

/** The text form of the reference implementation, so that other tools can read it and costs can change. */
function format({ memory, passes, parallelism, salt }: Recipe, key: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(key)}`
}

const SHAPE = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(hash: string): { recipe: Recipe; key: Buffer } {
  const [, memory, passes, parallelism, salt, key] = SHAPE.exec(hash) ?? []
  if (salt === undefined || key === undefined) throw new Error('A stored password hash cannot be read.')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return { recipe: { ...cost, salt: Buffer.from(salt, 'base64') }, key: Buffer.from(key, 'base64') }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

const DUMMY_HASH = format({ ...COST, salt: randomBytes(SALT_BYTES) }, randomBytes(HASH_BYTES))
