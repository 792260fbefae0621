import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: it does not search the bucket, so it forgets mail that it had not announced when it ended. */
rewriteModules({
  '/worker/announcer.ts': [['if (at - searchedAt < SEARCH_EVERY_MS || searching) return', 'return']],
})
