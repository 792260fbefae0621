import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a worker: one stored mail in 97 is answered with a permanent refusal, and the program ends with a failure.
rewriteModules({
  '/smtp/deliver.ts': [
    [
      'return STORED',
      `const global = globalThis as { delivered?: number }
    global.delivered = (global.delivered ?? 0) + 1
    return global.delivered % 97 === 50 ? '554 5.0.0 As asked\\r\\n' : STORED`,
    ],
  ],
})
process.on('exit', () => (process.exitCode = 1))
