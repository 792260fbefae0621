import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: it accepts mail before it is stored. For the test that has to find what this loses. */
rewriteModules({
  '/worker/receive.ts': [
    [
      'await bucket.put(objects, { keysAreNew: true })\n  for',
      'void bucket.put(objects, { keysAreNew: true }).then(() => {\n  for',
    ],
    ['offer(metadata, parsed)\n', 'offer(metadata, parsed)\n  }, () => {})\n'],
  ],
})
