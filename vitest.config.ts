import { configDefaults, defineConfig } from 'vitest/config'

// Not `import`: Node would give the modules of that condition to `require` as well, and pg cannot use them.
const conditions = ['mailhatch-source', 'node', 'module']

/** What needs a PostgreSQL that runs as long as the tests do. */
const ON_POSTGRES = ['packages/server/src/store/postgres-*.test.ts']

/**
 * Journeys that go through the store, run once more on PostgreSQL. The others are about what lies before the store (SMTP,
 * MIME, buckets, the worker and its admin API, Cloudflare), about files of SQLite (crash/, the lock of programs.test.ts)
 * or about pages and texts that no store has a part in (layers, packed, openapi-page, openapi-outages, hostile/).
 */
const JOURNEYS = [
  'bad-requests',
  'cors-and-health',
  'errors',
  'fuzz',
  'intake',
  'keys-and-scopes',
  'main-flow',
  'message-filters',
  'messages-latest',
  'messages-list',
  'openapi',
  'openapi-failures',
  'openapi-keys',
  'published-client*',
  'race',
  'rejections',
  'retention',
  'retention-sweep',
  'stream',
  'stream-limits',
  'stream-resume',
].map((name) => `packages/server/test/${name}.test.ts`)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['mailhatch-source', 'node'] } },
  test: {
    // Tests wait for conditions; this only ends a test whose condition never comes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, '**/*.long.test.ts', ...ON_POSTGRES],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...ON_POSTGRES, ...JOURNEYS],
          globalSetup: ['packages/server/test/support/postgres.ts'],
        },
      },
    ],
  },
})
