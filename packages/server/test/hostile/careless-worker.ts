import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into the program: one mail is accepted and dropped, and one is stored with another byte. */
rewriteModules({
  '/worker/receive.ts': [
    ['const rawSize = sizeOf(raw)', `const rawSize = sizeOf(raw)\n  if (parsed.subject === 'Dropped mail') return`],
    [
      'body: raw }',
      `body: parsed.subject === 'Changed mail' ? (raw as Uint8Array).map((byte, at) => (at === 3 ? byte ^ 1 : byte)) : raw }`,
    ],
  ],
})
