import { findClosestName } from '../domain/closest-name.ts'
import { SETTINGS, type Program } from './settings.ts'

export type Values = Record<string, string | undefined>

/** Where settings come from, by the name of their variable. */
export type Sources = { flags: Values; environment: Values; file: Values }

/** A value and the name it was given by. */
export type GivenValue = { name: string; value: string }

/** Frameworks use these names for the app's own database and key, so some programs take them only with the prefix. */
const NAMES_OF_APPS = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'SECRET_KEY'] as const
export type LeftAlone = Partial<Record<(typeof NAMES_OF_APPS)[number], string>>

const PREFIX = 'MAILHATCH_'
const VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable)
/** What the SDK and the commands read, and what commands print with `-o env`. */
const CLIENT_NAMES = ['URL', 'API_KEY', 'SMTP', 'MAIL_HOST', 'MAIL_PORT', 'DOMAIN', 'ADDRESS', 'CURSOR'].map(prefixed)
const KNOWN_NAMES = [...VARIABLES, ...VARIABLES.map(prefixed), ...CLIENT_NAMES]
/** Variables that libraries read: colours, the folder of credentials, and the connection to PostgreSQL. */
const OF_LIBRARIES = /^(NO_COLOR|FORCE_COLOR|XDG_CONFIG_HOME|PG[A-Z]+)$/

export function prefixed(variable: string): string {
  return `${PREFIX}${variable}`
}

/** `--smtp-port` for SMTP_PORT. */
function flagOf(variable: string): string {
  return `--${variable.toLowerCase().replaceAll('_', '-')}`
}

/** Flags win, then the name with the prefix. Of the same name, the environment wins over the file. */
export function findValue(program: Program, variable: string, sources: Sources): GivenValue | null {
  const { flags, environment, file } = sources
  const inEnvironment = (name: string) => (isOfCluster(name, environment[name]) ? undefined : environment[name])
  const plain = leavesAlone(program, variable) ? undefined : inEnvironment(variable)
  const candidates = [
    { name: flagOf(variable), value: flags[variable] },
    { name: prefixed(variable), value: inEnvironment(prefixed(variable)) ?? file[prefixed(variable)] },
    { name: variable, value: plain ?? file[variable] },
  ]
  return candidates.find((candidate): candidate is GivenValue => isGiven(variable, candidate.value)) ?? null
}

/** The variables of the environment that may belong to an app. Not those that a setting of ours replaces. */
export function findLeftAlone(program: Program, sources: Sources): LeftAlone {
  const left = NAMES_OF_APPS.filter((name) => leavesAlone(program, name) && findValue(program, name, sources) === null)
  return Object.fromEntries(
    left.flatMap((name) => (sources.environment[name] ? [[name, sources.environment[name]]] : [])),
  )
}

/** Variables with our prefix that nothing reads, each with the name that was probably meant. */
export function findUnknownVariables(environment: Values): { name: string; meant: string | null }[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !KNOWN_NAMES.includes(name) && !isOfCluster(name, environment[name]))
    .map((name) => ({ name, meant: findMeant(name) }))
}

/** A settings file is ours alone, so a name in it that nothing reads is a mistake. */
export function findUnknownInFile(file: Values): string[] {
  return Object.keys(file)
    .filter((name) => !KNOWN_NAMES.includes(name) && !OF_LIBRARIES.test(name))
    .map((name) => {
      const meant = findMeant(name)
      return `${name}: is not a setting${meant === null ? '' : `; did you mean ${meant}?`}`
    })
}

/** The values of a file that libraries and commands read from the environment themselves. */
export function notSettings(file: Values): [string, string][] {
  return Object.entries(file).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined && (CLIENT_NAMES.includes(entry[0]) || OF_LIBRARIES.test(entry[0]))
  })
}

function findMeant(given: string): string | null {
  const name = given.toUpperCase().replaceAll(/[-.]/g, '_')
  return KNOWN_NAMES.includes(name) ? name : findClosestName(name, KNOWN_NAMES)
}

/** The all-in-one program and one-shot commands run beside the app under test, in its environment. */
function leavesAlone(program: Program, variable: string): boolean {
  return (program === 'serve' || program === 'command') && NAMES_OF_APPS.some((name) => name === variable)
}

/**
 * Kubernetes and Docker describe each service in variables named after it: for `mailhatch`, these are
 * MAILHATCH_SERVICE_HOST, MAILHATCH_PORT=tcp://10.0.0.1:80, MAILHATCH_PORT_80_TCP and more.
 */
function isOfCluster(name: string, value: string | undefined): boolean {
  return /_(SERVICE|PORT)_/.test(name) || /^(tcp|udp|sctp):\/\//.test(value ?? '')
}

/** An empty value counts as unset, except for the setting where empty has a meaning. */
function isGiven(variable: string, value: string | undefined): boolean {
  return value !== undefined && (value !== '' || variable === 'BOOTSTRAP_DOMAIN')
}
