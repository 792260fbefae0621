import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: a download keeps its decoding slot until its client has read everything, and each connection
// leaves 50 kB behind.
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
  ],
  '/http/slow-readers.ts': [
    [
      "server.on('connection', (socket) => {",
      `server.on('connection', (socket) => {
    ;((globalThis as { leaked?: Uint8Array[] }).leaked ??= []).push(new Uint8Array(50_000).fill(1))`,
    ],
  ],
})
