import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

// Neither `import` nor `module`: Node would give the modules of these conditions to `require` as well, and pg and prom-client cannot use them.
const conditions = ['mailhatch-source', 'node']

/** Tests that need PostgreSQL. */
export const ONLY_ON_POSTGRES = [
  'packages/server/src/store/postgres-*.test.ts',
  'packages/server/test/replicas/*.test.ts',
]

/** Tests that need a Citus cluster: see vitest.citus.config.ts. */
export const ONLY_ON_CITUS = ['packages/server/test/citus/*.test.ts']

/**
 * The store's contract runs on both databases. Of the tests of the whole product, these cross the store most, so they run
 * on PostgreSQL too. `npm run test:long` runs all of them there.
 */
const ALSO_ON_POSTGRES = [
  'accounts',
  'intake',
  'keys-and-scopes',
  'main-flow',
  'messages-latest',
  'procedures',
  'retention-sweep',
  'teams',
  'webhooks',
].map((name) => `packages/server/test/${name}.test.ts`)

/** Tests that replace modules or timers need their own process. */
export const ISOLATED = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: import.meta.dirname }).filter((path) =>
  /\bvi\.(mock|useFakeTimers)\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
)

export const LONG = '**/*.long.test.ts'

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['mailhatch-source', 'node'] } },
  test: {
    // Most tests wait for processes, sockets and disks, so three files share a core.
    maxWorkers: 3 * availableParallelism(),
    // Files share a process one after another: loading the product for each costs more than most files take.
    isolate: false,
    // Tests wait for conditions; this only ends a test whose condition never comes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['patience', 'left-open'].map((name) => `packages/server/test/support/${name}.ts`),
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG, ...ONLY_ON_POSTGRES, ...ONLY_ON_CITUS, ...ISOLATED],
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ISOLATED,
          exclude: [...configDefaults.exclude, LONG, ...ONLY_ON_POSTGRES],
          isolate: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...ONLY_ON_POSTGRES, ...ALSO_ON_POSTGRES],
          exclude: [...configDefaults.exclude, LONG],
          globalSetup: ['packages/server/test/support/postgres.ts'],
        },
      },
    ],
  },
})
