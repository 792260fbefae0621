import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a server: one mail in 20 becomes readable 300 ms later, and one accepted mail in 10 is not counted.
rewriteModules({
  '/intake/intake.ts': [
    [
      'const resolved = await resolveMailbox(ports, announcement)',
      `const global = globalThis as { taken?: number }
  global.taken = (global.taken ?? 0) + 1
  if (global.taken % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 300))
  const resolved = await resolveMailbox(ports, announcement)`,
    ],
  ],
  '/observe/meters.ts': [
    [
      'accepted: (messages: number) => accepted.inc(messages)',
      `accepted(messages: number) {
      const global = globalThis as { counted?: number }
      global.counted = (global.counted ?? 0) + 1
      if (global.counted % 10 !== 0) accepted.inc(messages)
    }`,
    ],
  ],
})
