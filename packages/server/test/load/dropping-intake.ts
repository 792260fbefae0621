import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: one mail in 100 is accepted, but neither stored nor announced.
rewriteModules({
  '/worker/receive.ts': [
    [
      'await bucket.put(',
      `const global = globalThis as { received?: number }
  global.received = (global.received ?? 0) + 1
  if (global.received % 100 === 0) return
  await bucket.put(`,
    ],
  ],
})
