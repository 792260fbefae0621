import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into a program: what does not fit on the disk is often taken as stored or announced, or refused for good; one
 * mail in three is refused ever after; reading a mail needs room, and so does a start. For the test that has to find it.
 */
rewriteModules({
  '/worker/receive.ts': [
    [
      'await bucket.put(objects, { keysAreNew: true })',
      `await bucket.put(objects, { keysAreNew: true }).catch((error: unknown) => {
    const counts = globalThis as { shortages?: number }
    counts.shortages = (counts.shortages ?? 0) + 1
    if (counts.shortages % 2 === 0) throw error
  })`,
    ],
  ],
  '/worker/announce-stored.ts': [
    [
      'if (!outcome.ok) return',
      `const counts = globalThis as { shortages?: number }
  if (!outcome.ok) counts.shortages = (counts.shortages ?? 0) + 1
  if (false) return`,
    ],
  ],
  '/worker/smtp/deliver.ts': [
    [
      'const finished = mail.finish()',
      `const counts = globalThis as { shortages?: number; tried?: number }
    counts.tried = (counts.tried ?? 0) + 1
    if (counts.shortages && counts.tried % 3 === 0) {
      throw Object.assign(new Error('once full, always full'), { code: 'ENOSPC' })
    }
    const finished = mail.finish()`,
    ],
  ],
  '/worker/smtp/incoming-mail.ts': [
    ['isOutOfSpace ? NO_ROOM : NOT_STORED', `isOutOfSpace ? '554 5.3.0 Not stored\\r\\n' : NOT_STORED`],
    [
      'this.refusal = storageRefusal(error)',
      `const counts = globalThis as { shortages?: number }
    counts.shortages = (counts.shortages ?? 0) + 1
    this.refusal = counts.shortages % 2 === 0 ? storageRefusal(error) : '250 2.0.0 Stored\\r\\n'`,
    ],
  ],
  '/bucket/message-objects.ts': [
    [
      'raw: (message) => bucket.get(rawKey(message))',
      `async raw(message) {
      const { writeFileSync } = await import('node:fs')
      writeFileSync(process.env['MAILHATCH_SMALL_DISK'] + '/copy', 'x'.repeat(100_000))
      return bucket.get(rawKey(message))
    }`,
    ],
  ],
  '/program/spare-room.ts': [
    [
      'if (freeBytesIn(dataDir) < SPARE_BYTES) rmSync(',
      `const copy = process.env['MAILHATCH_SMALL_DISK'] + '/start-' + process.pid
  process.getBuiltinModule('node:fs').writeFileSync(copy, 'x'.repeat(100_000))
  if (false) rmSync(`,
    ],
  ],
})
