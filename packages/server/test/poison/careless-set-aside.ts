import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: the API gets another reason than the operator, and a retry is confirmed but not made. */
rewriteModules({
  '/worker/report-set-aside.ts': [['reason: setAside.reason', "reason: 'another reason'"]],
  '/worker/admin-retry.ts': [
    [
      'const result = await requireWebhook(announceNow)(key)',
      "const result = { outcome: 'processed', metadata: null! }",
    ],
  ],
})
