import { configDefaults, defineConfig } from 'vitest/config'

// Not `import`: Node would give the modules of that condition to `require` as well, and pg cannot use them.
const conditions = ['mailhatch-source', 'node', 'module']

/** What is about PostgreSQL alone. */
const ONLY_ON_POSTGRES = ['packages/server/src/store/postgres-*.test.ts', 'packages/server/test/replicas/*.test.ts']

/** Every test of the whole product runs on SQLite and once more on PostgreSQL, new ones by themselves, except these. */
const NOT_ON_POSTGRES = [
  'admin', // of a worker, against a double of the API
  'cloudflare', // the journey of node-worker, in workerd
  'cloudflare-admin', // the same as admin, in workerd
  'command-line', // ends before a store is opened
  'crash/acceptance-order', // of a bucket behind SMTP
  'crash/failing-folder', // the same
  'crash/faults', // of buckets; the store fails at its port, which is the same on both
  'crash/full-disk-start', // of SQLite's files on a full disk
  'dashboard/accessibility', // looks at pages
  'dashboard/connection', // of the way between browser and server
  'dashboard/isolation', // of what browsers make of hostile mail
  'dashboard/journey', // drives pages, whose procedures are tested on both
  'dashboard/many-messages', // fills SQLite's file; what the lists cost on PostgreSQL is in bench/
  'dashboard/pages', // looks at pages
  'dashboard/serving', // of files
  'dashboard/settings', // drives pages, whose procedures are tested on both
  'db-copy', // has a database of each kind
  'deployment', // reads the files of deploy/
  'held-downloads', // of connections and the bucket
  'hostile/hostile-delivery', // of SMTP, parser and bucket
  'hostile/hostile-mail', // of the parser
  'hostile/hostile-urls', // of connections to webhook endpoints
  'hostile/odd-text', // of the parser and of rules without a store
  'layers', // reads the source
  'listen', // of a command that asks the API, as others do
  'openapi-outages', // has a store that only fails
  'openapi-page', // reads one page
  'packed', // of what is published, not of what it does
  'poison', // of the worker and its bucket; replicas/poison has a database with replicas
  'sdk-docs', // runs the examples of a page
  'sdk-node-20', // of what is published, not of what it does
  'sdk-operations', // looks at what the SDK would ask
  'sending/dead-endpoints', // measures the sender, whose leases have their contract on both
  'sending/kill', // has a database of each kind
  'sqlite-file', // of SQLite's file; PostgreSQL's counterpart is in postgres-database.test.ts
  'view-size', // of what is written of a mail
  'webhook-schedule', // sets the clock, and PostgreSQL goes by its own
  'webhook-signatures', // of pure functions
  'worker-cli', // of a worker, against a double of the API
].map((name) => `packages/server/test/${name}.test.ts`)

const LONG = '**/*.long.test.ts'

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['mailhatch-source', 'node'] } },
  test: {
    // Most tests wait for processes, sockets and disks: one file a core, where the default leaves a core idle.
    maxWorkers: '100%',
    // Tests wait for conditions; this only ends a test whose condition never comes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['packages/server/test/support/patience.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG, ...ONLY_ON_POSTGRES],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...ONLY_ON_POSTGRES, 'packages/server/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG, ...NOT_ON_POSTGRES],
          globalSetup: ['packages/server/test/support/postgres.ts'],
        },
      },
    ],
  },
})
