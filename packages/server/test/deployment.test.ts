import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/program/config.ts'
import { DATABASE_FILE } from '../src/program/find-database.ts'
import { SETTINGS, type Program } from '../src/program/settings.ts'
import { parseYaml, type Yaml } from './support/yaml.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

/** Settings of other programs: the database and the storage of the compose file. */
const OF_OTHERS = [
  'POSTGRES_USER',
  'POSTGRES_DB',
  'POSTGRES_PASSWORD',
  'SITE_ADDRESS',
  'GARAGE_RPC_SECRET',
  'GARAGE_DEFAULT_BUCKET',
  'GARAGE_DEFAULT_ACCESS_KEY',
  'GARAGE_DEFAULT_SECRET_KEY',
]
const OURS: string[] = Object.values(SETTINGS).map(({ variable }) => variable)

const files = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
  // The chart has its own test.
  .filter((name) => /\.ya?ml$|^\.env\.example$|Dockerfile$/.test(name) && !name.startsWith('helm/'))
  .map((name) => ({ name, text: readFileSync(join(DEPLOY, name), 'utf8') }))

/** Keys of maps, items of lists of names, lines of an environment file, and references in images or addresses. */
function variablesIn(text: string): string[] {
  const named = text.matchAll(/^\s*(?:- name: |-? ?\{ name: )?([A-Z][A-Z0-9_]{2,})(?=: |=|\s*\}?\s*$)/gm)
  const referred = text.matchAll(/\$\{([A-Z][A-Z0-9_]+)/g)
  const inImage = text.matchAll(/^ENV (.*)$/gm).flatMap(([, pairs]) => pairs!.matchAll(/([A-Z][A-Z0-9_]+)=/g))
  return [...named, ...referred, ...inImage].map(([, name]) => name!)
}

function unknownIn(text: string): string[] {
  return variablesIn(text).filter((name) => !OURS.includes(name) && !OF_OTHERS.includes(name))
}

test('the recipe names only settings that exist', () => {
  expect(files.map(({ name }) => name).sort()).toEqual([
    '.env.example',
    'Dockerfile',
    'compose.pgbouncer.yaml',
    'compose.yaml',
    'kubernetes/api.yaml',
    'kubernetes/migrate.yaml',
    'kubernetes/settings.yaml',
    'kubernetes/worker.yaml',
    'litestream.yml',
    'prometheus/alerts.test.yaml',
    'prometheus/alerts.yaml',
  ])
  for (const { name, text } of files) expect({ name, unknown: unknownIn(text) }).toEqual({ name, unknown: [] })
  // The check finds names in any place, and can fail:
  expect(new Set(files.flatMap(({ text }) => variablesIn(text))).size).toBeGreaterThan(15)
  const wrong =
    'data:\n  DATA_URL: x\nenv:\n  - name: S3_KEY\n  - { name: HOSTS }\nurl: ${APP_ADDRESS:?}\nENV HOST=a DIR=b'
  expect(unknownIn(wrong)).toEqual(['DATA_URL', 'S3_KEY', 'HOSTS', 'APP_ADDRESS', 'DIR'])
})

test('each program gets the settings it needs, and only those it reads', () => {
  const [config, api, worker] = textOf('kubernetes/settings.yaml').split('---').map(variablesIn)
  const read = (program: Program): string[] =>
    Object.values(SETTINGS)
      .filter(({ parts }) => parts.some((part) => part === program))
      .map(({ variable }) => variable)
  expect(api!.filter((name) => !read('api').includes(name))).toEqual([])
  expect(worker!.filter((name) => !read('worker').includes(name))).toEqual([])
  expect([...config!, ...api!]).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'INBOX_STORAGE', 'INBOX_WEBHOOK_SECRET', 'SECRET_KEY']),
  )
  expect([...config!, ...worker!]).toEqual(
    expect.arrayContaining(['WEBHOOK_URL', 'WEBHOOK_AUTH_TOKEN', 'EMAIL_DOMAIN']),
  )
})

test('no pod gets the variables that a cluster makes of its services', () => {
  const pods = files.flatMap(({ name, text }) => {
    // Each container is in one pod.
    const containers = text.match(/^\s+containers:$/gm) ?? []
    return containers.length === 0 ? [] : [{ name, links: text.match(/^\s+enableServiceLinks: false$/gm)?.length ?? 0 }]
  })
  expect(pods).toEqual(['api', 'migrate', 'worker'].map((name) => ({ name: `kubernetes/${name}.yaml`, links: 1 })))
})

test('a replica has enough time to stop', () => {
  const seconds = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, given]) => Number(given))
  const drained = Number(
    /STOP_MS_MAX = (\d+)_000/.exec(readFileSync(join(DEPLOY, '../packages/server/src/cli/serve.ts'), 'utf8'))![1],
  )
  expect(drained).toBeGreaterThan(0)
  for (const name of ['kubernetes/api.yaml', 'kubernetes/worker.yaml']) {
    const [pause] = seconds(textOf(name), /command: \[sleep, '(\d+)'\]/g)
    const [given] = seconds(textOf(name), /terminationGracePeriodSeconds: (\d+)/g)
    expect(given!).toBeGreaterThan(pause! + drained)
  }
  expect(seconds(textOf('compose.yaml'), /stop_grace_period: (\d+)s/g)[0]).toBeGreaterThan(drained)
})

/** A map of the recipe. Any other value fails where it is read. */
type Part = { [key: string]: Yaml }

const kubernetes = ['api', 'worker', 'migrate', 'settings'].flatMap((name) =>
  parseYaml(textOf(`kubernetes/${name}.yaml`)),
) as Part[]
const compose = ['compose.yaml', 'compose.pgbouncer.yaml'].map((name) => parseYaml(textOf(name))[0] as Part)
/** The second file only adds to services of the first with the same name. */
const services = compose.flatMap(({ services: given }) =>
  Object.entries(given as { [name: string]: Part }).filter(([, { image }]) => image !== undefined),
)
const podSpecs = kubernetes
  .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  .map(({ spec }) => ((spec as Part)['template'] as Part)['spec'] as Part)

function problemsOf(program: Program, environment: Record<string, string>): string[] {
  try {
    readConfig(program, environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('the placeholder secrets of the manifests are refused, and other secrets are not', () => {
  const secretsOf = (program: Program) =>
    kubernetes.find(
      ({ kind, metadata }) => kind === 'Secret' && (metadata as Part)['name'] === `mailhatch-${program}`,
    )!['stringData'] as Record<string, string>
  const settings = kubernetes.find(({ kind }) => kind === 'ConfigMap')!['data'] as Record<string, string>
  for (const program of ['api', 'worker'] as const) {
    const secrets = secretsOf(program)
    const problems = problemsOf(program, { ...settings, ...secrets })
    for (const variable of Object.keys(secrets)) {
      expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^${variable}=.*: is a placeholder from an`)))
    }
    // No secret, not even a placeholder, is shown.
    expect(problems.join()).not.toMatch(/change-me-/)
    const own = Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [name, value.replace(/change-me[\w-]*/, 'b3f1'.repeat(10))]),
    )
    expect(problemsOf(program, { ...settings, ...own })).toEqual([])
  }
  // Placeholders of manifests that were published before.
  for (const value of ['the-same-in-both', 'access-key', 'secret-key', '<your secret>', '${SECRET}', 'changeme123']) {
    expect(problemsOf('worker', { S3_SECRET_ACCESS_KEY: value })).toHaveLength(1)
  }
  expect(problemsOf('api', { SECRET_KEY: 'at-least-32-characters-the-same-for-all-replicas' })).toHaveLength(1)
  expect(problemsOf('worker', { S3_SECRET_ACCESS_KEY: 'my-changes' })).toEqual([])
})

test('the compose file reads its secrets from .env, which has none at first', () => {
  const example = new Map(
    textOf('.env.example')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  )
  const referred = files
    .filter(({ name }) => name.startsWith('compose'))
    .flatMap(({ text }) => Array.from(text.matchAll(/(?<!\$)\$\{([A-Z0-9_]+)(:?[?-]?)/g)))
  for (const [, name] of referred) expect([...example.keys()]).toContain(name)
  const secrets = referred.filter(([, name]) => /PASSWORD|SECRET|KEY/.test(name!))
  for (const [, name, ifUnset] of secrets) expect([example.get(name!), ifUnset]).toEqual(['', ':?'])
  expect(secrets.length).toBeGreaterThan(5)
  expect(referred.length).toBeGreaterThan(10)
})

test('every container has only the rights and resources it needs', () => {
  expect(podSpecs).toHaveLength(3)
  for (const spec of podSpecs) {
    expect(spec).toMatchObject({
      automountServiceAccountToken: 'false',
      securityContext: { runAsNonRoot: 'true', seccompProfile: { type: 'RuntimeDefault' } },
    })
    for (const container of spec['containers'] as Part[]) {
      expect(container).toMatchObject({
        resources: {
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { cpu: expect.any(String), memory: expect.any(String) },
        },
        securityContext: {
          allowPrivilegeEscalation: 'false',
          readOnlyRootFilesystem: 'true',
          capabilities: { drop: ['ALL'] },
        },
      })
    }
  }
  expect(services).toHaveLength(8)
  for (const [name, service] of services) {
    expect({ name, ...service }).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: 'true',
      mem_limit: expect.any(String),
      cpus: expect.any(String),
    })
  }
})

test('every image is pinned to a version, ours to the current one', () => {
  const { version } = JSON.parse(readFileSync(join(DEPLOY, '../packages/server/package.json'), 'utf8')) as {
    version: string
  }
  const bases = files.flatMap(({ text }) =>
    Array.from(text.matchAll(/^\s*FROM (?:--platform=\S+ )?(\S+)/gm), ([, image]) => image!),
  )
  const images = [
    ...bases,
    ...services.map(([, { image }]) => image as string),
    ...podSpecs.flatMap((spec) => (spec['containers'] as Part[]).map(({ image }) => image as string)),
  ]
  expect(images.length).toBeGreaterThan(10)
  for (const image of images) expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+/)
  for (const image of images.filter((one) => one.startsWith('mailhatch:'))) expect(image).toBe(`mailhatch:${version}`)
})

test('both recipes see client addresses and accept mail only for their own domains', () => {
  const first = compose[0]!['services'] as { [name: string]: Part }
  expect(first['api-1']!['environment']).toMatchObject({ TRUST_PROXY: 'on' })
  const ofWorkers = { SMTP_ALLOWED_DOMAINS: expect.any(String), REFUSED_MAIL_DAYS: '14' }
  expect(first['worker']!['environment']).toMatchObject(ofWorkers)
  // With TRUST_PROXY, clients must not be able to bypass the proxy.
  for (const name of ['api-1', 'api-2']) expect(first[name]).not.toHaveProperty('ports')
  const settings = kubernetes.find(({ kind }) => kind === 'ConfigMap')!['data']
  expect(settings).toMatchObject({ TRUST_PROXY: 'on', ...ofWorkers })
})

test('announcements do not use the public address, and the storage syncs before it acknowledges', () => {
  const first = compose[0]!['services'] as { [name: string]: Part }
  const { WEBHOOK_URL } = first['worker']!['environment'] as Record<string, string>
  const { port } = new URL(WEBHOOK_URL!)
  const published = (first['proxy']!['ports'] as string[]).map((pair) => pair.split(':')[1])
  expect(published).not.toContain(port === '' ? '80' : port)
  expect(readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8')).toMatch(new RegExp(`^http://:${port} \\{`, 'm'))
  const storage = readFileSync(join(DEPLOY, 'garage.toml'), 'utf8')
  expect(storage).toMatch(/^metadata_fsync = true$/m)
  expect(storage).toMatch(/^data_fsync = true$/m)
})

test('the recipe for Litestream names both databases, where the systemd unit has them', () => {
  const [{ dbs }] = parseYaml(textOf('litestream.yml')) as [{ dbs: Part[] }]
  const unit = readFileSync(join(DEPLOY, 'systemd/mailhatch.service'), 'utf8')
  const [, folder] = /^WorkingDirectory=(.*)$/m.exec(unit)!
  expect(dbs.map(({ path }) => path)).toEqual([DATABASE_FILE, 'inbox.db'].map((name) => join(folder!, name)))
})

function textOf(name: string): string {
  return files.find((file) => file.name === name)!.text
}
