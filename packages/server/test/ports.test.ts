import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from './support/server.ts'

const WORKSPACE = join(import.meta.dirname, '../../..')
const SOURCE = join(import.meta.dirname, '../src')

/** More of them are a list without a subject. */
const PORTS_MAX = 12

/** Positions of types with such a name, and of parameters, fields and variables that declare their type. */
const NAMES = /(?<=^(?:export )?(?:type|interface) )\w*Ports\b|(?<![.\w])\w*[pP]orts(?=\??: )/gm

/** Everything that is called ports in these files, with the number of members as the compiler resolves it. */
function portsIn(tsconfig: string, files: string[]): { name: string; count: number }[] {
  const api = new API()
  onTestFinished(() => api.close())
  const { checker } = api.updateSnapshot({ openProjects: [tsconfig] }).getProject(tsconfig)!
  return files.flatMap((file) => {
    return Array.from(readFileSync(file, 'utf8').matchAll(NAMES), ({ 0: found, index }) => {
      const name = `${basename(file)}: ${found}`
      const type = checker.getTypeAtPosition(file, index)
      if (!type) throw new Error(`${name} has no type`)
      return { name, count: checker.getPropertiesOfType(type).length }
    })
  })
}

const MADE_UP = `
type KeyPorts = { ${Array.from({ length: 12 }, (_, index) => `port${index}: number`).join('; ')} }
export type RoutePorts = Omit<KeyPorts, 'port0'> & { one: string; other: string }
export function start(ports: KeyPorts & { store: object }, { port1 }: KeyPorts): number {
  return ports.port2 + port1
}
`

test(`no function takes more than ${PORTS_MAX} ports`, () => {
  const folder = temporaryFolder()
  const madeUp = join(folder, 'made-up.ts')
  const tsconfig = join(folder, 'tsconfig.json')
  writeFileSync(madeUp, MADE_UP)
  writeFileSync(tsconfig, JSON.stringify({ extends: join(WORKSPACE, 'tsconfig.json'), include: [SOURCE, madeUp] }))
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(SOURCE, file))

  const found = portsIn(tsconfig, [...files, madeUp])
  expect(found.length).toBeGreaterThan(200)
  expect(found).toContainEqual({ name: 'app.ts: ports', count: 12 })
  expect(found.filter(({ count }) => count > PORTS_MAX)).toEqual([
    // The check can fail:
    { name: 'made-up.ts: RoutePorts', count: 13 },
    { name: 'made-up.ts: ports', count: 13 },
  ])
})
