import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: each accepted mail leaves 20 numbers behind, which are about 200 bytes.
rewriteModules({
  '/worker/receive.ts': [
    [
      'const receivedAt = now()',
      `const receivedAt = now()
  ;((globalThis as { leaked?: number[][] }).leaked ??= []).push(Array.from({ length: 20 }, () => Math.random()))`,
    ],
  ],
})
