import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into the program: messages have a field that is not documented, and mailboxes cannot be presented. */
rewriteModules({
  '/http/present.ts': [
    ['    id: row.id,\n', '    id: row.id,\n    undocumented: true,\n'],
    [
      '  const address = `${name}@${domain}`\n',
      "  throw new TypeError('as asked')\n  const address = `${name}@${domain}`\n",
    ],
  ],
})
