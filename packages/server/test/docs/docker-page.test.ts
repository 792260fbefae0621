import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/program/settings.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { parseYaml, type Yaml } from '../support/yaml.ts'

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8')
const page = read('docs/operate/docker.md')
const image = read('deploy/Dockerfile')
const [command] = /^docker run [^]*?[^\\]\n/m.exec(page)!
const [, composeText] = /```yaml\n([^]*?)```/.exec(page)!
type Part = { [key: string]: Yaml }
const { mail } = (parseYaml(composeText!)[0] as { services: { [name: string]: Part } }).services

test('the docker run command publishes ports that the image has, on this machine only, and keeps its data', () => {
  const exposed = /^EXPOSE (.*)$/m.exec(image)![1]!.split(' ')
  const published = Array.from(command.matchAll(/-p (\S+):\d+:(\d+)/g), ([, host, port]) => [host, port])
  expect(published).toEqual([
    ['127.0.0.1', '3003'],
    ['127.0.0.1', '2525'],
  ])
  for (const [, port] of published) expect(exposed).toContain(port)
  const [, dataDir] = /DATA_DIR=(\S+)/.exec(image)!
  expect(command).toContain(`-v mailhatch:${dataDir} `)
  expect(mail!['volumes']).toEqual([`mail:${dataDir}`])
  // The page says that a named volume gets the right owner: the folder of the image has it.
  expect(image).toContain(`mkdir ${dataDir} && chown node:node ${dataDir}`)
  expect(image).toMatch(/^USER node$/m)
})

test('the container has the time that a stop needs, and the version of this repository', () => {
  const drained = Number(/STOP_MS_MAX = (\d+)_000/.exec(read('packages/server/src/cli/serve.ts'))![1])
  expect(Number(/--stop-timeout (\d+)/.exec(command)![1])).toBeGreaterThan(drained)
  expect(Number.parseInt(mail!['stop_grace_period'] as string, 10)).toBeGreaterThan(drained)
  const { version } = JSON.parse(read('packages/server/package.json')) as { version: string }
  const named = Array.from(page.matchAll(/mailhatch:(\d[\w.]*)/g), ([, found]) => found)
  expect(named).toEqual([version, version, version])
})

test('the page names only settings that exist', () => {
  const named = Array.from(page.matchAll(/MAILHATCH_([A-Z_]+)/g), ([, name]) => name!)
  const known: string[] = Object.values(SETTINGS).map(({ variable }) => variable)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})
