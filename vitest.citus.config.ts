import { defineConfig } from 'vitest/config'
import base, { ONLY_ON_CITUS } from './vitest.config.ts'

/** Of the tests on PostgreSQL, those of the store and those of the whole product that cross it most. */
const ALSO_ON_CITUS = [
  'src/store/postgres-store',
  'src/store/postgres-claims',
  'src/store/postgres-intake',
  'test/accounts',
  'test/intake',
  'test/keys-and-scopes',
  'test/main-flow',
  'test/message-filters',
  'test/messages-latest',
  'test/replicas/sweeps',
  'test/replicas/webhooks',
  'test/retention-sweep',
  'test/teams',
  'test/webhooks',
].map((name) => `packages/server/${name}.test.ts`)

/** Tests on the Citus cluster of CITUS_URL. One file at a time: a database is copied on each node for most tests. */
export default defineConfig({
  ...base,
  test: {
    setupFiles: base.test!.setupFiles,
    expect: base.test!.expect,
    testTimeout: base.test!.testTimeout,
    hookTimeout: base.test!.hookTimeout,
    isolate: false,
    fileParallelism: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'citus',
          include: [...ALSO_ON_CITUS, ...ONLY_ON_CITUS],
          globalSetup: ['packages/server/test/support/citus.ts'],
        },
      },
    ],
  },
})
