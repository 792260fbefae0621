import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { REPOSITORY } from './support/markdown.ts'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
const options = { cwd: REPOSITORY }

beforeAll(() => run('npm', ['run', 'build'], options))

test('publint and attw find no problems in the packed program', async () => {
  const folder = temporaryFolder()
  await run('npm', ['pack', '--pack-destination', folder, '-w', 'mailhatch'], options)
  const tarball = join(folder, readdirSync(folder)[0]!)
  await expect(run('publint', ['run', tarball, '--strict'])).resolves.toMatchObject({
    stdout: expect.stringContaining('All good!'),
  })
  await expect(run('attw', [tarball, '--no-emoji'])).resolves.toMatchObject({
    stdout: expect.stringContaining('No problems found'),
  })
})

test.each([
  ['packages/sdk', '@mailhatch/sdk', ['dist/index.js', 'dist/cjs/index.js']],
  ['packages/server', 'mailhatch', ['bin/mailhatch.js', 'dist/cli.js', 'dist/dashboard/index.html']],
])('npm publish --dry-run accepts %s as it is', async (workspace, name, files) => {
  const words = ['publish', '--dry-run', '--json', '--workspace', workspace, '--access', 'public']
  const { stdout, stderr } = await run('npm', words, options)
  // npm repairs faulty fields while it publishes, and only warns.
  expect(stderr).not.toMatch(/auto-corrected|errors corrected/)
  const published = JSON.parse(stdout) as Record<string, { name: string; files: { path: string }[] }>
  const packed = published[name] ?? (published as unknown as { name: string; files: { path: string }[] })
  expect(packed.name).toBe(name)
  expect(packed.files.map(({ path }) => path)).toEqual(expect.arrayContaining(files))
})
