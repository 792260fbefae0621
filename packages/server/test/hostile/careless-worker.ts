import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into the program: one mail is accepted and dropped, one is stored with another byte, and one is refused for a
 * limit that it keeps.
 */
rewriteModules({
  '/smtp/incoming-mail.ts': [
    [
      'if (this.readBytes > this.#ports.sizeMaxBytes)',
      `if (this.readBytes > this.#ports.sizeMaxBytes || chunk.includes('Subject: Refused mail'))`,
    ],
  ],
  '/worker/receive.ts': [
    ['const rawSize = sizeOf(raw)', `const rawSize = sizeOf(raw)\n  if (parsed.subject === 'Dropped mail') return`],
    [
      'body: raw }',
      `body: parsed.subject === 'Changed mail' ? (raw as Uint8Array).map((byte, at) => (at === 3 ? byte ^ 1 : byte)) : raw }`,
    ],
  ],
})
