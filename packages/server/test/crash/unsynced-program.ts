import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: commits and files do not wait for the disk. For the test that has to find what this loses. */
rewriteModules({
  '/sqlite/connection.ts': [
    ['pragma synchronous = full', 'pragma synchronous = normal'],
    ['fsyncSync(descriptor)', ''],
  ],
  '/program/key-file.ts': [['await file.sync()', '']],
  '/bucket/folder-bucket.ts': [['await handle.sync()', '']],
})
