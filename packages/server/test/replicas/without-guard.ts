import { rewriteModules } from '../support/rewrite-modules.ts'

/**
 * Preloaded into a replica: writers no longer lock the row of their team, so positions become visible out of order. For the
 * test that shows why the lock is needed.
 */
rewriteModules({ '/store/postgres-database.ts': [['for no key update', '']] })
