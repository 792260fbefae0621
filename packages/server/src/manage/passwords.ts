import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../domain/errors.ts'

// OWASP's first choice for Argon2id; about 50 ms of one core here.
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Half of libuv's four threads: the others are for files and names. */
const AT_ONCE_MAX = 2
/** About five seconds of work; whoever comes then had better come again. */
const WAITING_MAX = 200

const deriveKey = promisify(argon2)

export type Passwords = {
  hash(password: string): Promise<string>
  /** Takes as long where there is no hash, and is false then. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Argon2id, off the main thread, only so many at once. */
export function createPasswords(): Passwords {
  let running = 0
  const waiting: (() => void)[] = []

  async function derive(password: string, { salt, ...cost }: Recipe): Promise<Buffer> {
    if (waiting.length >= WAITING_MAX) {
      throw new AppError('server_busy', 'Too many people are signing in. Please try again.', {
        headers: { 'retry-after': '5' },
      })
    }
    if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      // The same letters may be typed in several ways.
      const message = password.normalize('NFKC')
      return await deriveKey('argon2id', { message, nonce: salt, tagLength: HASH_BYTES, ...cost })
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      return format({ ...COST, salt }, await derive(password, { ...COST, salt }))
    },
    async matches(password, hash) {
      const expected = parse(hash ?? NOBODYS)
      const derived = await derive(password, expected.recipe)
      return timingSafeEqual(derived, expected.key) && hash !== null
    },
  }
}

type Recipe = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'> & { salt: Buffer }

/** The text form that the reference implementation writes, so that others can read it and costs can change. */
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

const NOBODYS = format({ ...COST, salt: randomBytes(SALT_BYTES) }, randomBytes(HASH_BYTES))
