import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into a program: it accepts mail before it is stored, changes a byte of some, and stores a mail that is announced
 * twice as two messages. For the test that has to find all three.
 */
rewriteModules({
  '/worker/receive.ts': [
    [
      'await bucket.put(objects, { keysAreNew: true })\n  for',
      'void bucket.put(objects, { keysAreNew: true }).then(() => {\n  for',
    ],
    ['announcementOf(metadata, parsed))\n}', 'announcementOf(metadata, parsed))\n  }, () => {})\n}'],
    [
      '{ key: metadata.rawKey, body: raw }',
      '{ key: metadata.rawKey, body: rawSize % 10 === 0 ? (raw as Uint8Array).map((byte, at) => at === 9 ? byte ^ 1 : byte) : raw }',
    ],
  ],
  '/intake/intake.ts': [
    [
      `if (position === 'duplicate') return 'duplicate'`,
      `if (position === 'duplicate') return intake(ports, { ...announcement, id: ports.newId(ports.now()) })`,
    ],
  ],
})
