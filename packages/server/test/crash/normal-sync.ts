import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: commits of SQLite do not wait for the disk. Everything else does. */
rewriteModules({ '/sqlite/connection.ts': [['pragma synchronous = full', 'pragma synchronous = normal']] })
