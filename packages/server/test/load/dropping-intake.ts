import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: one mail in 97 is accepted, but neither stored nor announced. The number has no factor in common with that of
// the mailboxes that get mail in turn, so that each of them gets some.
rewriteModules({
  '/worker/receive.ts': [
    [
      'await bucket.put(',
      `const global = globalThis as { received?: number }
  global.received = (global.received ?? 0) + 1
  if (global.received % 97 === 0) return
  await bucket.put(`,
    ],
  ],
})
