import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')
const FIRST_OF_SCHEMA_11 = 'packages/server/src/store/migrations-postgres/011-team-tables.sql'

/** Unpacks the last version with schema 10 from the history, with the packages of this one. */
export function unpackPreviousProgram(): { startFile: string; remove: () => void } {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim()
  const [added] = git('log', '--diff-filter=A', '--format=%H', '--', FIRST_OF_SCHEMA_11).split('\n')
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-previous-'))
  execFileSync('sh', ['-c', `git archive ${added}^ | tar -x -C ${folder}`], { cwd: ROOT })
  for (const part of ['', 'packages/server']) {
    symlinkSync(join(ROOT, part, 'node_modules'), join(folder, part, 'node_modules'))
  }
  return {
    startFile: join(folder, 'packages/server/bin/mailhatch.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
