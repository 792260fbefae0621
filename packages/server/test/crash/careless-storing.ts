import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into a program: it changes a byte of one mail in ten, and stores one in ten twice and one in ten for another
 * tag as well. For the test that has to find all three.
 */
rewriteModules({
  '/worker/receive.ts': [
    [
      '{ key: metadata.rawKey, body: raw }',
      '{ key: metadata.rawKey, body: rawSize % 10 === 0 ? (raw as Uint8Array).map((byte, at) => at === 9 ? byte ^ 1 : byte) : raw }',
    ],
  ],
  '/intake/intake.ts': [
    [
      `if (event) ports.wakeSender()`,
      `if (event) ports.wakeSender()
  const counts = globalThis as { storedMessages?: number }
  counts.storedMessages = (counts.storedMessages ?? 0) + 1
  const again = { ...announcement, id: ports.newId(ports.now()) }
  if (counts.storedMessages % 10 === 3) await intake(ports, again)
  if (counts.storedMessages % 10 === 6) await intake(ports, { ...again, tag: 'never-sent' })`,
    ],
  ],
})
