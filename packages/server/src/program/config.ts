import { reasonOf } from '../domain/reason.ts'
import { checkCustomDomain } from '../domain/custom-domain.ts'
import { parseAllowedHosts } from '../notify/webhook-url.ts'
import { refusePlaceholder } from './placeholders.ts'
import { SETTINGS, type Program } from './settings.ts'

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
  | 'defaultPlan'
  | 'rateLimit'
  | 'webhookAllowedHosts'
  | 'webhookRetryDelaysMs'
  | 'sweepEverySeconds'
  | 'signUp'
  | 'smtpRelayFrom'
  | 'domainProof'
  | 'trustProxy'
type DefaultedByWorker =
  | 'workerPort'
  | 'emailDomain'
  | 'webhookTimeoutMs'
  | 'smtpPort'
  | 'smtpHost'
  | 'smtpMaxSizeBytes'
type Present = Defaulted | DefaultedByWorker

/** Every setting, parsed. Null only where there is no default. */
export type Config = { [name in keyof Parsed]: name extends Present ? NonNullable<Parsed[name]> : Parsed[name] }

export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Reads the environment once for the whole program. The error lists all problems. */
export function readConfig(program: Program, environment: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const config = parseAll(program, environment, problems)
  config.emailDomain ??= config.rootDomain
  // An invalid port has already been reported.
  config.appUrl ??= localUrl(config.port ?? 0)
  config.allowedOrigins ??= [new URL(config.appUrl).origin]
  config.smtpHost ??= config.host
  config.smtpRelayFrom ??= `mailhatch@${new URL(config.appUrl).hostname}`
  config.defaultPlan ??= program === 'serve' ? 'enterprise' : 'starter'
  config.webhookAllowedHosts ??= parseAllowedHosts('')
  config.rateLimit ??= program === 'serve' ? 'off' : 'on'
  if (program === 'serve') config.webhookAuthToken ??= config.webhookSecret
  problems.push(...findConflicts(program, config))
  if (problems.length > 0) throw new ConfigError(problems)
  // The lines above set every setting that `Config` declares as present.
  return config as Config
}

/** Replaces port 0 by the actual port, in the URLs that contain the port by default. */
export function withPort(config: Config, port: number): Config {
  const atPort = (url: string) => (url === localUrl(0) ? localUrl(port) : url)
  return { ...config, port, appUrl: atPort(config.appUrl), allowedOrigins: config.allowedOrigins.map(atPort) }
}

export function localUrl(port: number): string {
  return `http://localhost:${port}`
}

function parseAll(program: Program, environment: NodeJS.ProcessEnv, problems: string[]): Parsed {
  const entries = Object.entries(SETTINGS).map(([name, { variable, parts, parse, isSecret, ...rest }]) => {
    const isRead = program === 'serve' || parts.includes(program)
    const given = isRead ? environment[variable] : undefined
    const fallback = rest.default?.startsWith('(') ? null : rest.default
    // An empty value counts as unset, except for the setting where empty has a meaning.
    const value = given === undefined || (given === '' && variable !== 'BOOTSTRAP_DOMAIN') ? fallback : given
    if (value === null) return [name, null]
    try {
      refusePlaceholder(value)
      return [name, parse(value)]
    } catch (error) {
      // Credentials in a URL are secrets too.
      const shown = isSecret ? '(hidden)' : JSON.stringify(value.replace(/\/\/[^/]*@/, '//(hidden)@'))
      problems.push(`${variable}=${shown}: ${reasonOf(error)}`)
      return [name, null]
    }
  })
  return Object.fromEntries(entries) as Parsed
}

function findConflicts(program: Program, config: Parsed): string[] {
  const problems: string[] = []
  if (program === 'serve' && config.emailDomain !== config.rootDomain) {
    problems.push(`EMAIL_DOMAIN=${JSON.stringify(config.emailDomain)}: must equal INBOX_ROOT_DOMAIN, or be unset`)
  }
  if (program === 'serve' && config.webhookAuthToken !== config.webhookSecret) {
    problems.push('WEBHOOK_AUTH_TOKEN=(hidden): must equal INBOX_WEBHOOK_SECRET, or be unset')
  }
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
  if ((config.smtpTlsCert === null) !== (config.smtpTlsKey === null)) {
    problems.push('SMTP_TLS_CERT and SMTP_TLS_KEY: set both or neither')
  }
  return problems
}
