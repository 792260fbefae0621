import { reasonOf } from '../domain/reason.ts'
import { checkCustomDomain } from '../domain/custom-domain.ts'
import { parseAllowedHosts } from '../notify/webhook-url.ts'
import {
  findLeftAlone,
  findUnknownVariables,
  findValue,
  notSettings,
  type GivenValue,
  type LeftAlone,
  type Sources,
  type Values,
} from './config-sources.ts'
import { refusePlaceholder } from './placeholders.ts'
import { readSettingsFile } from './settings-file.ts'
import { isReadBy, SETTINGS, type Program } from './settings.ts'

type Parsed = { -readonly [name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[name]['parse']> | null }

type Defaulted =
  | 'dataDir'
  | 'host'
  | 'logLevel'
  | 'metrics'
  | 'port'
  | 'appUrl'
  | 'allowedOrigins'
  | 'rootDomain'
  | 'inboxWorker'
  | 'defaultPlan'
  | 'rateLimit'
  | 'webhookAllowedHosts'
  | 'webhookRetryDelaysMs'
  | 'sweepEverySeconds'
  | 'signUp'
  | 'smtpRelayFrom'
  | 'domainProof'
  | 'trustProxy'
  | 'compatPort'
  | 'compatHost'
type DefaultedByWorker =
  | 'workerPort'
  | 'emailDomain'
  | 'webhookTimeoutMs'
  | 'smtpPort'
  | 'smtpHost'
  | 'smtpMaxSizeBytes'
type Present = Defaulted | DefaultedByWorker

/** Every setting, parsed. Null only where there is no default. */
export type Config = {
  [name in keyof Parsed]: name extends Present ? NonNullable<Parsed[name]> : Parsed[name]
} & {
  /** Variables that this program did not take, because they may belong to an app. */
  leftAlone: LeftAlone
  /** The names by which settings were given, by variable: `MAILHATCH_PORT`, or the flag `--port`. */
  givenAs: Values
}

export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const SMTP_PORT = 2525
const COMPAT_SMTP_PORT = 1025

/** The settings file of this process; see `loadSettings`. */
let file: Values = {}

/**
 * Reads the settings file, if there is one, for every later `readConfig`. Commands read some options from the environment
 * by one name only, so these get the value that wins.
 */
export function loadSettings(path: string | undefined): void {
  if (path !== undefined) {
    const { values, problems } = readSettingsFile(path)
    if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${path}: ${problem}`))
    file = values
    for (const [name, value] of notSettings(values)) process.env[name] ??= value
  }
  const dataDir = findValue('command', 'DATA_DIR', { flags: {}, environment: process.env, file })
  if (dataDir) process.env['DATA_DIR'] = dataDir.value
}

/** Variables with our prefix that nothing reads. Probably typing errors. */
export function findUnknown(): ReturnType<typeof findUnknownVariables> {
  return findUnknownVariables(process.env)
}

/** Settings that were given to this program but have an effect only in the all-in-one program. */
export function findUnread(program: Program, environment: Values = process.env): string[] {
  const sources = { flags: {}, environment, file }
  const ofServe = Object.values(SETTINGS).filter(({ parts }) => parts.length === 0)
  return ofServe.flatMap(({ variable }) =>
    program === 'serve' ? [] : (findValue(program, variable, sources)?.name ?? []),
  )
}

/** Reads all settings once for the whole program. The error lists all problems. Flags are given by variable. */
export function readConfig(program: Program, environment: Values = process.env, flags: Values = {}): Config {
  const problems: string[] = []
  const sources = { flags, environment, file }
  const config = parseAll(program, sources, problems)
  config.emailDomain ??= config.rootDomain
  // An invalid port has already been reported.
  config.appUrl ??= localUrl(config.port ?? 0, config.host ?? undefined)
  config.allowedOrigins ??= [new URL(config.appUrl).origin]
  config.smtpHost ??= config.host
  config.smtpRelayFrom ??= `mailhatch@${new URL(config.appUrl).hostname}`
  config.defaultPlan ??= program === 'serve' ? 'enterprise' : 'starter'
  config.webhookAllowedHosts ??= parseAllowedHosts('')
  config.rateLimit ??= program === 'serve' ? 'off' : 'on'
  // Where clients of the other mail catcher expect it.
  config.smtpPort ??= program === 'serve' && config.compat ? COMPAT_SMTP_PORT : SMTP_PORT
  if (program === 'serve' && config.compat) config.catchAll ??= 'bootstrap'
  if (program === 'serve') config.webhookAuthToken ??= config.webhookSecret
  problems.push(...findConflicts(program, config))
  if (problems.length > 0) throw new ConfigError(problems)
  // The lines above set every setting that `Config` declares as present.
  return { ...config, leftAlone: findLeftAlone(program, sources), givenAs: findNames(program, sources) } as Config
}

/** Replaces port 0 by the actual port, in the URLs that contain the port by default. */
export function withPort(config: Config, port: number): Config {
  const atPort = (url: string) => (url === localUrl(0, config.host) ? localUrl(port, config.host) : url)
  return { ...config, port, appUrl: atPort(config.appUrl), allowedOrigins: config.allowedOrigins.map(atPort) }
}

/** The URL of a server on this machine. Only a server on one particular address has another host. */
export function localUrl(port: number, host = '127.0.0.1'): string {
  const isAnyOrLoopback = /^(0\.0\.0\.0|127(\.\d+){3}|::|::1|localhost)$/.test(host)
  const name = isAnyOrLoopback ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

function parseAll(program: Program, sources: Sources, problems: string[]): Parsed {
  const entries = Object.entries(SETTINGS).map(([name, { variable, parts, parse, isSecret, ...rest }]) => {
    const found = isReadBy(program, parts) ? findValue(program, variable, sources) : null
    const fallback = rest.default?.startsWith('(') ? null : rest.default
    const given: GivenValue | null = found ?? (fallback === null ? null : { name: variable, value: fallback })
    if (given === null) return [name, null]
    try {
      refusePlaceholder(given.value)
      return [name, parse(given.value)]
    } catch (error) {
      const shown = isSecret ? '(hidden)' : JSON.stringify(given.value)
      problems.push(`${given.name}=${withoutCredentials(shown)}: ${withoutCredentials(reasonOf(error))}`)
      return [name, null]
    }
  })
  return Object.fromEntries(entries) as Parsed
}

/** Credentials in a URL are secrets too. A reason may repeat the value. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/\/\/[^/]*@/g, '//(hidden)@')
}

function findNames(program: Program, sources: Sources): Values {
  const variables = Object.values(SETTINGS).map(({ variable }) => variable)
  return Object.fromEntries(variables.map((variable) => [variable, findValue(program, variable, sources)?.name]))
}

function findConflicts(program: Program, config: Parsed): string[] {
  const problems: string[] = []
  if (program === 'serve' && config.emailDomain !== config.rootDomain) {
    problems.push(`EMAIL_DOMAIN=${JSON.stringify(config.emailDomain)}: must equal INBOX_ROOT_DOMAIN, or be unset`)
  }
  if (program === 'serve' && config.webhookAuthToken !== config.webhookSecret) {
    problems.push('WEBHOOK_AUTH_TOKEN=(hidden): must equal INBOX_WEBHOOK_SECRET, or be unset')
  }
  problems.push(...findSharedPorts(program, config))
  if (program === 'worker' && config.webhookUrl && !config.webhookAuthToken) {
    problems.push('WEBHOOK_AUTH_TOKEN: is required with WEBHOOK_URL')
  }
  if (config.databaseDirectUrl && !config.databaseUrl) {
    problems.push('DATABASE_DIRECT_URL=(hidden): requires DATABASE_URL')
  }
  if (config.storage?.kind === 's3') {
    if (!config.s3AccessKeyId) problems.push('S3_ACCESS_KEY_ID: is required with INBOX_STORAGE=s3://…')
    if (!config.s3SecretAccessKey) problems.push('S3_SECRET_ACCESS_KEY: is required with INBOX_STORAGE=s3://…')
  }
  if (program === 'api' && config.workerUrl && !config.adminToken) {
    problems.push('ADMIN_TOKEN: is required with WORKER_URL')
  }
  if ((config.oidcIssuer === null) !== (config.oidcClientId === null)) {
    problems.push('OIDC_ISSUER and OIDC_CLIENT_ID: set both or neither')
  }
  const billing = [config.stripeSecretKey, config.stripeWebhookSecret, config.stripePricePro]
  if (billing.includes(null) && billing.some((value) => value !== null)) {
    problems.push('STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_PRO: set all or none')
  }
  const bootstrap = checkCustomDomain(config.bootstrapDomain, config.rootDomain ?? '')
  if (program === 'serve' && 'message' in bootstrap) {
    problems.push(`BOOTSTRAP_DOMAIN=${JSON.stringify(config.bootstrapDomain)}: ${bootstrap.message}`)
  }
  if ((config.smtpAuthUser === null) !== (config.smtpAuthPassword === null)) {
    problems.push('SMTP_AUTH_USER and SMTP_AUTH_PASS: set both or neither')
  }
  if (config.smtpAuthUser !== null && config.smtpHiddenExtensions?.includes('AUTH')) {
    problems.push('SMTP_HIDE_EXTENSIONS: AUTH cannot be hidden if SMTP_AUTH_USER is set')
  }
  if ((config.smtpTlsCert === null) !== (config.smtpTlsKey === null)) {
    problems.push('SMTP_TLS_CERT and SMTP_TLS_KEY: set both or neither')
  }
  return problems
}

/** Port 0 picks a free one for each. */
function findSharedPorts(program: Program, config: Parsed): string[] {
  const { host, port, workerPort, smtpHost, smtpPort, compat, compatHost, compatPort } = config
  const used = [
    ...(program === 'serve' ? [{ variable: 'PORT', host, port }] : []),
    ...(program === 'serve' || program === 'worker' ? [{ variable: 'WORKER_PORT', host, port: workerPort }] : []),
    ...(program === 'serve' || program === 'worker' ? [{ variable: 'SMTP_PORT', host: smtpHost, port: smtpPort }] : []),
    ...(program === 'serve' && compat ? [{ variable: 'COMPAT_PORT', host: compatHost, port: compatPort }] : []),
  ].filter((one) => one.port !== 0 && one.port !== null)
  return used.flatMap((one, index) => {
    const other = used.slice(0, index).find((before) => before.port === one.port && before.host === one.host)
    return other ? [`${one.variable}=${one.port}: must differ from ${other.variable}`] : []
  })
}
