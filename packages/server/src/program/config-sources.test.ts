import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { readConfig } from './config.ts'
import { findLeftAlone, findUnknownInFile, findUnknownVariables, findValue, type Values } from './config-sources.ts'
import { SETTINGS, type Program } from './settings.ts'

const VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable)
const OF_APPS = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'SECRET_KEY']
const PROGRAMS: Program[] = ['serve', 'api', 'worker', 'command']
/** What a cluster makes of a service with this name, including one with a named and one with a UDP port. */
const SERVICES = ['MAILHATCH', 'MAILHATCH_API', 'MAILHATCH_SMTP', 'MAILHATCH_WORKER', 'SMTP', 'WORKER']

function variablesOfService(name: string): Values {
  return {
    [`${name}_SERVICE_HOST`]: '10.0.0.1',
    [`${name}_SERVICE_PORT`]: '80',
    [`${name}_SERVICE_PORT_HTTP`]: '80',
    [`${name}_PORT`]: name === 'SMTP' ? 'udp://10.0.0.1:80' : 'tcp://10.0.0.1:80',
    [`${name}_PORT_80_TCP`]: 'tcp://10.0.0.1:80',
    [`${name}_PORT_80_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_80_TCP_PORT`]: '80',
    [`${name}_PORT_80_TCP_ADDR`]: '10.0.0.1',
  }
}

const SEED = 17
const ROUNDS = 4_000

test('of all names and places of a setting, the one that wins is found', () => {
  const random = seededRandom(SEED)
  const wins: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round++) {
    const [program, variable] = [random.pick(PROGRAMS), random.pick(VARIABLES)]
    const value = (place: string) => random.pick([undefined, undefined, '', place, 'tcp://10.0.0.1:80'])
    const given = {
      flag: random.pick([undefined, undefined, undefined, 'flag']),
      prefixedEnvironment: value('prefixedEnvironment'),
      prefixedFile: random.pick([undefined, undefined, '', 'prefixedFile']),
      environment: value('environment'),
      file: random.pick([undefined, '', 'file']),
    }
    const found = findValue(program, variable, {
      flags: { [variable]: given.flag },
      environment: { [variable]: given.environment, [`MAILHATCH_${variable}`]: given.prefixedEnvironment },
      file: { [variable]: given.file, [`MAILHATCH_${variable}`]: given.prefixedFile },
    })

    // The rule once more, as steps: what a cluster injected and what belongs to apps is not there at all.
    const isLeft = OF_APPS.includes(variable) && ['serve', 'command'].includes(program)
    const seen = (text: string | undefined) => (text?.startsWith('tcp:') ? undefined : text)
    const byName = [
      given.flag,
      seen(given.prefixedEnvironment) ?? given.prefixedFile,
      (isLeft ? undefined : seen(given.environment)) ?? given.file,
    ]
    const isSet = (text: string | undefined) => text !== undefined && (text !== '' || variable === 'BOOTSTRAP_DOMAIN')
    const expected = byName.find(isSet)
    expect(found?.value, `seed ${SEED}, round ${round}: ${program} ${variable} ${JSON.stringify(given)}`).toBe(expected)
    wins[expected || 'none'] = (wins[expected || 'none'] ?? 0) + 1
  }
  // Every place wins sometimes.
  expect(Object.keys(wins).sort()).toEqual([
    'environment',
    'file',
    'flag',
    'none',
    'prefixedEnvironment',
    'prefixedFile',
  ])
})

test.each(PROGRAMS)('%s reads settings with the prefix, and reports them by that name', (program) => {
  const { dataDir, port } = readConfig(program, { MAILHATCH_DATA_DIR: '/ours', DATA_DIR: '/theirs', PORT: '4000' })
  expect(dataDir).toBe('/ours')
  expect(port).toBe(program === 'worker' ? 3003 : 4000)
  const wrong = { MAILHATCH_LOG_LEVEL: 'loud', LOG_LEVEL: 'info' }
  expect(() => readConfig(program, wrong)).toThrow('MAILHATCH_LOG_LEVEL="loud": must be one of')
})

test('what a cluster injects changes nothing and is not reported', () => {
  const injected: Values = Object.assign({}, ...SERVICES.map(variablesOfService))
  for (const program of PROGRAMS) expect(readConfig(program, injected)).toEqual(readConfig(program, {}))
  expect(findUnknownVariables(injected)).toEqual([])
  // Control: a port that was set is used, and a wrong name is reported.
  expect(readConfig('serve', { ...injected, SMTP_PORT: '4025' }).smtpPort).toBe(4025)
  const odd = { ...injected, MAILHATCH_SMTPPORT: '4025', MAILHATCH_COLOUR: 'red' }
  expect(findUnknownVariables(odd)).toEqual([
    { name: 'MAILHATCH_SMTPPORT', meant: 'MAILHATCH_SMTP_PORT' },
    { name: 'MAILHATCH_COLOUR', meant: null },
  ])
})

test('every setting, the names of the client and of libraries are known', () => {
  const names = [...VARIABLES, ...VARIABLES.map((name) => `MAILHATCH_${name}`), 'MAILHATCH_URL', 'MAILHATCH_API_KEY']
  expect(findUnknownInFile(Object.fromEntries([...names, 'NO_COLOR', 'PGSSLMODE'].map((name) => [name, 'x'])))).toEqual(
    [],
  )
  expect(findUnknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
})

/** A typing error in a name. */
function slip(name: string, random: ReturnType<typeof seededRandom>): string {
  const at = 1 + random.below(name.length - 2)
  const [before, letter, next, after] = [name.slice(0, at), name[at]!, name[at + 1]!, name.slice(at + 2)]
  return random.pick([
    `${before}${next}${letter}${after}`,
    `${before}${next}${after}`,
    `${before}${letter}${letter}${next}${after}`,
    `${before}Q${next}${after}`,
    name.toLowerCase(),
    name.replaceAll('_', '-'),
  ])
}

test('a name with a typing error is a problem that says which name was meant', () => {
  const random = seededRandom(SEED)
  const known = [...VARIABLES, ...VARIABLES.map((name) => `MAILHATCH_${name}`)]
  let checked = 0
  for (let round = 0; round < 500; round++) {
    const name = random.pick(known.filter(({ length }) => length >= 4))
    const given = slip(name, random)
    if (known.includes(given)) continue
    checked += 1
    const [problem, ...others] = findUnknownInFile({ [given]: 'x' })
    expect(others).toEqual([])
    // Another name may be as close.
    expect(problem, `seed ${SEED}: ${name}`).toMatch(/^\S+: is not a setting; did you mean [A-Z0-9_]+\?$/)
    const [, meant] = /did you mean (\w+)/.exec(problem!)!
    expect(known).toContain(meant)
  }
  expect(checked).toBeGreaterThan(300)
})

test('names of apps are left alone by serve and by commands, and only those that are set', () => {
  const environment = { DATABASE_URL: 'mysql://app', SECRET_KEY: 'django', DATABASE_DIRECT_URL: '' }
  const left = { DATABASE_URL: 'mysql://app', SECRET_KEY: 'django' }
  const sources = { flags: {}, environment, file: {} }
  expect(PROGRAMS.map((program) => findLeftAlone(program, sources))).toEqual([left, {}, {}, left])
  // One of ours replaces it.
  const ours = { ...environment, MAILHATCH_DATABASE_URL: 'postgres://ours@localhost/ours' }
  expect(findLeftAlone('serve', { ...sources, environment: ours })).toEqual({ SECRET_KEY: 'django' })
  const file = { DATABASE_URL: 'postgres://ours@localhost/ours' }
  expect(findLeftAlone('serve', { ...sources, file })).toEqual({ SECRET_KEY: 'django' })
  expect(findValue('serve', 'DATABASE_URL', { ...sources, file })?.value).toBe(file.DATABASE_URL)
})
