import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: small mail waits for a decoding slot like large mail, a download keeps its slot until its client
// has read everything, one download of raw mail in 5 fails, and each connection leaves 50 kB behind.
rewriteModules({
  '/read/content.ts': [
    [
      'return found && !isGone() ? park(found.bytes) : null\n      }),',
      `started(found && !isGone() ? await park(found.bytes) : null)
        while (!isGone()) await new Promise((resolve) => setTimeout(resolve, 50))
      }).catch(failed)),`,
    ],
    [
      'attachment: (message, index, { who, isGone }) =>\n      decoding(',
      'attachment: (message, index, { who, isGone }) =>\n      new Promise((started, failed) => void decoding(',
    ],
    ['object.size <= DIRECT_BYTES_MAX', 'object.size < 0'],
    [
      'const object = await objects?.raw(',
      `const global = globalThis as { downloads?: number }
    global.downloads = (global.downloads ?? 0) + 1
    if (global.downloads % 5 === 0) throw new TypeError('as asked')
    const object = await objects?.raw(`,
    ],
  ],
  '/http/slow-readers.ts': [
    [
      "server.on('connection', (socket) => {",
      `server.on('connection', (socket) => {
    ;((globalThis as { leaked?: Uint8Array[] }).leaked ??= []).push(new Uint8Array(50_000).fill(1))`,
    ],
  ],
})
