import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into the program: the command QUIT throws where nothing catches it. For the test that has to notice. */
rewriteModules({
  '/smtp/dialogue.ts': [
    ["case 'QUIT':", "case 'QUIT':\n        setImmediate(() => Promise.reject(new Error('as asked')))"],
  ],
})
