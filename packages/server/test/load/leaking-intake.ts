import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: each accepted mail leaves 20 kB behind.
rewriteModules({
  '/worker/receive.ts': [
    [
      'const receivedAt = now()',
      `const receivedAt = now()
  ;((globalThis as { leaked?: Uint8Array[] }).leaked ??= []).push(new Uint8Array(20_000).fill(1))`,
    ],
  ],
})
