import { spawnSync } from 'node:child_process'

const VITEST = ['run', '--config', 'vitest.citus.config.ts', ...process.argv.slice(2)]

function run(program: string, words: string[]): number {
  return spawnSync(program, words, { stdio: 'inherit' }).status ?? 1
}

/** Runs the tests on a Citus cluster, with the given words for Vitest, if there is one. */
if (process.env['CITUS_URL']) {
  process.exitCode = run(process.execPath, ['scripts/build-dashboard.ts']) || run('vitest', VITEST)
} else {
  console.log('not run: CITUS_URL is not set')
}
