import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into the load: an SDK whose streams of mailboxes that end with 0 fail after a message.
rewriteModules({
  '/sdk/src/stream.ts': [
    [
      'yield message',
      `yield message
        if (/0$/.test(filter.mailbox!)) throw new Error('as asked')`,
    ],
  ],
})
