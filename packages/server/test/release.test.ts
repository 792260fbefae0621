import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { problemsOf, sectionOf } from '../../../scripts/release-notes.ts'
import { freePort } from './support/free-port.ts'
import { REPOSITORY } from './support/markdown.ts'
import { temporaryFolder } from './support/server.ts'
import { expressionsInCommands, missingIn, stepsOf, textOf, unpinned, workflow } from './support/workflows.ts'
import type { Yaml } from './support/yaml.ts'

const RELEASE = '.github/workflows/release.yml'
const ACTION = 'action/setup/action.yml'
const OURS = ['.github/workflows/ci.yml', RELEASE, ACTION]
type Job = { [key: string]: Yaml }
const jobs = workflow(RELEASE)['jobs'] as { [name: string]: Job }

/** A command of the repository, to its end. */
async function run(command: string, words: string[], env: Record<string, string> = {}) {
  const child = spawn(command, words, { cwd: REPOSITORY, env: { PATH: process.env['PATH']!, ...env } })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, stdout, stderr }
}

test('every action is pinned to a commit', () => {
  for (const path of OURS) expect({ path, unpinned: unpinned(textOf(path)) }).toEqual({ path, unpinned: [] })
  expect(OURS.flatMap((path) => stepsOf(workflow(path))).filter(({ uses }) => uses).length).toBeGreaterThan(10)
  // Control: tags, branches, short commits and a missing version are found.
  const wrong = ['a/b@v5', 'a/b@main', 'a/b@3d3c42e', `a/b@${'0'.repeat(40)}`, `a/b/c@${'0'.repeat(40)} # v5`]
  expect(unpinned(wrong.map((name) => `      - uses: ${name}`).join('\n'))).toHaveLength(wrong.length)
})

test('the workflows for users name versions of actions', () => {
  for (const path of ['examples/github-actions/e2e.yml', 'examples/github-actions/any-runner.yml']) {
    const used = stepsOf(workflow(path)).flatMap(({ uses }) => (uses ? [uses as string] : []))
    expect(used.length).toBeGreaterThan(1)
    for (const name of used) expect(name).toMatch(/^[\w./-]+@v\d+$/)
  }
})

test('every script and file that a workflow names exists', () => {
  const commands = OURS.flatMap((path) => stepsOf(workflow(path))).flatMap(({ run: given, with: inputs }) => [
    (given as string | undefined) ?? '',
    ...Object.values((inputs as Record<string, string> | undefined) ?? {}),
  ])
  expect(commands.flatMap(missingIn)).toEqual([])
  expect(commands.filter((command) => /npm run|scripts\/|deploy\//.test(command)).length).toBeGreaterThan(5)
  expect(missingIn('npm run gone && node scripts/gone.ts deploy/Dockerfile "$HOME/deploy/other"')).toEqual([
    'gone',
    'scripts/gone.ts',
  ])
  expect(textOf(ACTION)).toContain('bash "$GITHUB_ACTION_PATH/start.sh"')
})

test('no job has more rights than it needs, and no text from outside becomes part of a command', () => {
  // The rights of jobs that name none.
  expect(textOf(RELEASE)).toMatch(/^permissions: \{\}$/m)
  expect(workflow('.github/workflows/ci.yml')['permissions']).toEqual({ contents: 'read' })
  expect(Object.fromEntries(Object.entries(jobs).map(([name, { permissions }]) => [name, permissions]))).toEqual({
    check: { contents: 'read' },
    npm: { contents: 'read', 'id-token': 'write' },
    image: { contents: 'read', packages: 'write', 'id-token': 'write' },
    release: { contents: 'write' },
  })
  const steps = OURS.flatMap((path) => stepsOf(workflow(path)))
  expect(expressionsInCommands(steps)).toEqual([])
  expect(expressionsInCommands([{ run: 'echo ${{ github.ref_name }}' }])).toHaveLength(1)
  const checkouts = steps.filter(({ uses }) => (uses as string | undefined)?.startsWith('actions/checkout@'))
  expect(checkouts.length).toBeGreaterThan(3)
  for (const { with: inputs } of checkouts) expect(inputs).toEqual({ 'persist-credentials': 'false' })
})

test('without a tag, nothing is published', () => {
  const whenPushed = "github.event_name == 'push'"
  expect(jobs['npm']!['env']).toMatchObject({
    PUBLISH_OR_TRY: `\${{ ${whenPushed} && '--provenance' || '--dry-run' }}`,
  })
  expect(jobs['release']!['if']).toBe(whenPushed)
  const steps = stepsOf({ jobs })
  const publishes = (step: (typeof steps)[number]) =>
    /npm publish|cosign sign|gh release/.test((step['run'] as string) ?? '')
  expect(steps.filter(publishes).map((step) => [step['run'], step['if']])).toEqual([
    ['npm publish --workspace "$PACKAGE" --access public "$PUBLISH_OR_TRY"', undefined],
    ['cosign sign --yes "$IMAGE@$DIGEST"', whenPushed],
    ['gh release create "$TAG" --verify-tag --title "$TAG" --notes-file notes.md mailhatch-*.tgz', undefined],
  ])
  const build = steps.find(({ uses }) => (uses as string | undefined)?.startsWith('docker/build-push-action@'))!
  expect(build['with']).toMatchObject({
    push: `\${{ ${whenPushed} }}`,
    platforms: 'linux/amd64,linux/arm64',
    sbom: 'true',
    provenance: 'mode=max',
  })
})

test('the notes of a release are its section of the changelog, and all versions agree', async () => {
  const trial = await run(process.execPath, ['scripts/release-notes.ts'])
  expect(trial).toMatchObject({ code: 0, stderr: '' })
  expect(textOf('CHANGELOG.md')).toContain(trial.stdout.trim())
  const other = await run(process.execPath, ['scripts/release-notes.ts', 'v0.0.1'])
  // The chart installs the image of its appVersion, and the server depends on this version of the SDK.
  for (const place of ['Chart.yaml appVersion', 'server/package.json dependency'])
    expect(other.stderr).toContain(`${place} has version`)
  expect(other.code).toBe(1)
  expect(other.stderr).toContain('packages/sdk/package.json has version ')
  expect(other.stderr).toContain('CHANGELOG.md has no section for 0.0.1.')
})

test('a release without a date, without notes or with different versions is refused', () => {
  const changelog =
    '# Changelog\n\n## 2.0.0 (unreleased)\n\n- New.\n\n## 1.0.0 (2026-01-31)\n\n- Old.\n\n## 0.9.0 (2025-12-01)\n'
  expect(sectionOf(changelog, '1.0.0')).toEqual({ date: '2026-01-31', notes: '- Old.' })
  expect(sectionOf(changelog, '1.0')).toBeNull()
  expect(problemsOf({ a: '1.0.0', b: '1.0.0' }, changelog, 'v1.0.0')).toEqual([])
  expect(problemsOf({ a: '2.0.0' }, changelog, null)).toEqual([])
  expect(problemsOf({ a: '2.0.0' }, changelog, 'v2.0.0')).toEqual(['The heading of 2.0.0 in CHANGELOG.md has no date.'])
  expect(problemsOf({ a: '1.0.0', b: '1.0.1' }, changelog, null)).toEqual(['b has version 1.0.1, not 1.0.0.'])
  expect(problemsOf({ a: '0.9.0' }, changelog, 'v0.9.0')).toEqual(['The section of CHANGELOG.md for 0.9.0 is empty.'])
  expect(problemsOf({ a: '3.0.0' }, changelog, 'v3.0.0')).toEqual(['CHANGELOG.md has no section for 3.0.0.'])
})

test('the action starts a server for the next steps, and fails with the log if it cannot', async () => {
  const [port, smtpPort, otherPort] = await Promise.all([freePort(), freePort(), freePort()])
  const start = async (ports: { SETUP_PORT: string; SETUP_SMTP_PORT: string }) => {
    const folder = temporaryFolder()
    const files = { GITHUB_ENV: join(folder, 'env'), GITHUB_OUTPUT: join(folder, 'output') }
    for (const file of Object.values(files)) writeFileSync(file, '')
    const ended = await run('bash', ['action/setup/start.sh'], {
      ...files,
      ...ports,
      RUNNER_TEMP: folder,
      SETUP_CATCH_ALL: 'true',
      // What the job may have set for its app, and for another server.
      DATA_DIR: '/data/of/the/app',
      MAILHATCH_URL: 'http://127.0.0.1:9',
      MAILHATCH_API_KEY: 'key-of-another-server',
      SETUP_COMMAND: `${process.execPath} ${REPOSITORY}/packages/server/bin/mailhatch.js`,
    })
    const server = Number(readFileSync(join(folder, 'mailhatch/pid'), 'utf8'))
    const read = (file: string) =>
      Object.fromEntries(
        readFileSync(file, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split(/=(.*)/, 2)),
      )
    return { ...ended, server, env: read(files.GITHUB_ENV), output: read(files.GITHUB_OUTPUT) }
  }

  const first = await start({ SETUP_PORT: String(port), SETUP_SMTP_PORT: String(smtpPort) })
  onTestFinished(async () => {
    process.kill(first.server)
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/health`)
        .then(() => true)
        .catch(() => false)
    await expect.poll(isUp).toBe(false)
  })
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const { MAILHATCH_URL, MAILHATCH_API_KEY } = first.env as Record<string, string>
  expect(first.output).toMatchObject({ url: `http://localhost:${port}`, 'smtp-port': String(smtpPort) })
  expect(first.stdout).toContain(`::add-mask::${MAILHATCH_API_KEY}\n`)
  const answer = await fetch(`${MAILHATCH_URL}/v1/me`, { headers: { authorization: `Bearer ${MAILHATCH_API_KEY}` } })
  expect(answer.status).toBe(200)
  const named = new Set(Object.keys(workflow(ACTION)['outputs'] as object))
  expect(new Set(Object.keys(first.output))).toEqual(named)

  const second = await start({ SETUP_PORT: String(port), SETUP_SMTP_PORT: String(otherPort) })
  expect(second).toMatchObject({ code: 1, env: {}, output: {} })
  expect(second.stdout).toMatch(new RegExp(`::error::Mailhatch did not start[^]*${port}`))
})
