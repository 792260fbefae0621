import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: no failure counts against a mail, and a stuck program does not end. */
rewriteModules({
  '/domain/set-aside.ts': [['export const OWN_FAILURES_MAX = 3', 'export const OWN_FAILURES_MAX = 1_000_000']],
  '/program/stuck-watch.ts': [['const STUCK_MS = 3_000', 'const STUCK_MS = 3_600_000']],
})
