import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into a program: webhooks are sent to every address that a name has.
rewriteModules({
  '/notify/safe-request.ts': [
    ['rules = RULES,', 'rules = { findUrlProblem: () => null, isPublicAddress: () => true },'],
  ],
})
