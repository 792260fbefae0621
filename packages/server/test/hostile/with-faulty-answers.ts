import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into the program: messages have a field that is not documented, mailboxes cannot be presented, users and
 * teams of the dashboard have one field more, a wait never ends, and HTTP that is not valid gets no response.
 */
rewriteModules({
  '/http/present.ts': [
    ['    id: row.id,\n', '    id: row.id,\n    undocumented: true,\n'],
    [
      '  const address = `${name}@${domain}`\n',
      "  throw new TypeError('as asked')\n  const address = `${name}@${domain}`\n",
    ],
  ],
  '/http/rpc/user.ts': [['    id: user.id,\n', '    id: user.id,\n    untyped: true,\n']],
  '/http/rpc/team.ts': [['    id: team.id,\n', '    id: team.id,\n    untyped: true,\n']],
  '/http/listen.ts': [['if (!socket.writable || ', 'if (true || ']],
  '/read/wait.ts': [['heldByKey.add(keyId)', 'await new Promise(() => {})']],
})
