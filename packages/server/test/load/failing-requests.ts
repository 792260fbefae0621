import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into an API: one request in ten for the team and its number of messages fails.
rewriteModules({
  '/http/routes/keys.ts': [
    [
      'const { team, mailbox, keyId, keyName, scopes } = principal',
      `const { team, mailbox, keyId, keyName, scopes } = principal
    const global = globalThis as { requests?: number }
    global.requests = (global.requests ?? 0) + 1
    if (global.requests % 10 === 0) throw new TypeError('as asked')`,
    ],
  ],
})
