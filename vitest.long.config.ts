import { configDefaults, defineConfig } from 'vitest/config'
import base, { ISOLATED, LONG, ONLY_ON_CITUS, ONLY_ON_POSTGRES } from './vitest.config.ts'

/** Tests of the whole product whose subject does not depend on the database. */
const NOT_ON_POSTGRES = [
  'admin', // of a worker, against a double of the API
  'busy-ports', // ends before a store is opened, or shows the first start
  'cloudflare', // the journey of node-worker, in workerd
  'command-line', // ends before a store is opened
  'crash/acceptance-order', // of a bucket behind SMTP
  'crash/failing-folder', // the same
  'crash/faults', // of buckets; the store fails at its port, which is the same on both
  'crash/full-disk-start', // of SQLite's files on a full disk
  'decoding/decoding', // of the parser
  'dashboard/accessibility', // looks at pages
  'dashboard/connection', // of the way between browser and server
  'dashboard/isolation', // of what browsers make of hostile mail
  'dashboard/journey', // drives pages, whose procedures are tested on both
  'dashboard/pages', // looks at pages
  'dashboard/serving', // of files
  'dashboard/settings', // drives pages, whose procedures are tested on both
  'db-copy', // has a database of each kind
  'deployment', // reads the files of deploy/
  'chart', // the same
  'systemd', // the same
  'docs/*', // reads the documentation
  'doctor/*', // of SQLite's files, disks and buckets; replicas/doctor has PostgreSQL
  'held-downloads', // of connections and the bucket
  'hostile/hostile-delivery', // of SMTP, parser and bucket
  'hostile/hostile-html', // of pure functions
  'hostile/hostile-mail', // of the parser
  'hostile/hostile-urls', // of connections to webhook endpoints
  'hostile/odd-text', // of the parser and of rules without a store
  'layers', // reads the source
  'metrics-journey', // of commits and files of SQLite; postgres-size.test.ts has the size of PostgreSQL
  'monitoring', // reads the files of deploy/
  'plain-english', // reads the source
  'ports', // reads the source
  'type-names', // reads the source
  'left-alone', // of SQLite beside a database of an app; replicas/names-of-apps has PostgreSQL
  'listen', // of a command that asks the API, as others do
  'newer-node', // of the launcher
  'stop-with-npm', // the same
  'installing', // of the lockfile
  'no-database', // of a missing SQLite file; replicas/names-of-apps has PostgreSQL
  'openapi-outages', // has a store that only fails
  'openapi-page', // reads one page
  'packed', // of what is published, not of what it does
  'poison', // of the worker and its bucket; replicas/poison has a database with replicas
  'release', // reads workflows, and starts a server as the action does
  'restored-files', // of SQLite's files
  'sdk-docs', // runs the examples of a page
  'sdk-operations', // looks at what the SDK would ask
  'sending/dead-endpoints', // measures the sender, whose leases have their contract on both
  'sending/kill', // has a database of each kind
  'sqlite-file', // of SQLite's file; PostgreSQL's counterpart is in postgres-database.test.ts
  'start-output', // of what a start prints, and of the data folder that commands look into
  'view-size', // of what is written of a mail
  'webhook-schedule', // sets the clock, and PostgreSQL goes by its own
  'webhook-signatures', // of pure functions
  'worker-cli', // of a worker, against a double of the API
].map((name) => `packages/server/test/${name}.test.ts`)

/** What `npm test` does in a short form at full counts, the whole product's tests on PostgreSQL, and unit tests in jumps of time. */
export default defineConfig({
  ...base,
  test: {
    setupFiles: base.test!.setupFiles,
    expect: base.test!.expect,
    testTimeout: 30 * 60_000,
    hookTimeout: base.test!.hookTimeout,
    fileParallelism: false,
    projects: [
      { extends: true, test: { name: 'long', include: [`packages/*/test/${LONG}`] } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['packages/server/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG, ...ONLY_ON_CITUS, ...ONLY_ON_POSTGRES, ...NOT_ON_POSTGRES],
          globalSetup: ['packages/server/test/support/postgres.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'uneven clock',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ONLY_ON_POSTGRES, ...ISOLATED],
          setupFiles: ['packages/server/test/support/uneven-clock.ts'],
          isolate: false,
        },
      },
    ],
  },
})
