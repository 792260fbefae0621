import { configDefaults, defineConfig } from 'vitest/config'

const conditions = ['mailhatch-source', 'node', 'import', 'module', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['mailhatch-source', 'node', 'import'] } },
  test: {
    exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    // Tests wait for conditions; this only ends a test whose condition never comes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
