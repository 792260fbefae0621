import {
  anyHttpUrl,
  bootstrapKey,
  clampedTimeout,
  databaseUrl,
  directDatabaseUrl,
  domain,
  extensions,
  httpUrl,
  integer,
  issuerUrl,
  list,
  oneOf,
  plan,
  port,
  readableFile,
  relayUrl,
  resolvePath,
  retryDelays,
  secret,
  secretKey,
  signUp,
  storage,
  text,
} from './config-values.ts'
import { PEER_NAMES } from '../compat/peers.ts'
import { RETRY_DELAYS_MS } from '../domain/delivery-schedule.ts'
import { parseAllowedHosts } from '../notify/webhook-url.ts'
import { EXTENSIONS } from '../worker/smtp/extensions.ts'

/** Which program reads a setting: the API, the inbox worker, both or neither. The all-in-one program reads all. */
type Part = 'api' | 'worker'
/** `command` stands for one-shot commands such as `teams list`, which read what the API reads. */
export type Program = 'serve' | 'command' | Part

export type Setting<Value = unknown> = {
  variable: string
  parts: Part[]
  help: string
  /** As written in the environment; in parentheses if computed or described; null when there is none. */
  default: string | null
  isSecret: boolean
  /** Throws an error that says what it expects. */
  parse: (text: string) => Value
}

function setting<Value>(
  variable: string,
  parts: Part[],
  fallback: string | null,
  parse: (text: string) => Value,
  help: string,
  options: { isSecret?: boolean } = {},
): Setting<Value> {
  return { variable, parts, default: fallback, parse, help, isSecret: options.isSecret ?? false }
}

/** Which of the programs read a setting with these parts. */
export function isReadBy(program: Program, parts: readonly Part[]): boolean {
  return program === 'serve' || parts.includes(program === 'command' ? 'api' : program)
}

const API: Part[] = ['api']
const WORKER: Part[] = ['worker']
const BOTH: Part[] = ['api', 'worker']
/** Read only by the all-in-one program. */
const SERVE: Part[] = []
const SECRET = { isSecret: true }

/** All settings in one table. It validates them and generates --help, .env.example and docs/reference/settings.md. */
export const SETTINGS = {
  dataDir: setting('DATA_DIR', BOTH, '.mailhatch', resolvePath, 'Folder for databases, secrets and spooled mail.'),
  databaseUrl: setting(
    'DATABASE_URL',
    API,
    '(a SQLite file in DATA_DIR)',
    databaseUrl,
    'PostgreSQL database for messages, which several API processes can share: postgres://user:password@host:port/database. ' +
      'Several hosts of one cluster: host:port,host:port. TLS with ?sslmode=verify-full. ' +
      'serve takes it only as MAILHATCH_DATABASE_URL or from a settings file.',
    SECRET,
  ),
  databaseDirectUrl: setting(
    'DATABASE_DIRECT_URL',
    API,
    null,
    directDatabaseUrl,
    'Direct URL of the database, with one host, for notifications, locks and migrations. Set it when DATABASE_URL ' +
      'points to a pooler in transaction mode (PgBouncer).',
    SECRET,
  ),
  host: setting('HOST', BOTH, '127.0.0.1', text, 'Address that the API and the worker listen on.'),
  logLevel: setting(
    'LOG_LEVEL',
    BOTH,
    'info',
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'Minimum level of log messages.',
  ),
  metrics: setting(
    'METRICS',
    BOTH,
    'off',
    oneOf(['on', 'off']),
    'on: serves Prometheus metrics at GET /metrics on PORT and WORKER_PORT, without a key.',
  ),
  port: setting('PORT', API, '3003', port, 'Port of the API; 0 picks a free one.'),
  appUrl: setting('APP_URL', API, '(http://localhost:PORT)', httpUrl, 'Public URL of the API.'),
  allowedOrigins: setting(
    'ALLOWED_API_ORIGINS',
    API,
    '(APP_URL)',
    list,
    'Web origins that may call the API from a browser, separated by commas.',
  ),
  rootDomain: setting(
    'INBOX_ROOT_DOMAIN',
    BOTH,
    'in.mailhatch.test',
    domain,
    'Shared inbound domain, for mailboxes of teams without their own domain.',
  ),
  inboxWorker: setting(
    'INBOX_WORKER',
    API,
    'smtp',
    oneOf(['smtp', 'cloudflare']),
    'What receives the mail: smtp (the listener of serve and worker) or cloudflare (the Email Worker). With cloudflare, scenarios with steps ' +
      'that Email Routing cannot do are refused.',
  ),
  webhookSecret: setting(
    'INBOX_WEBHOOK_SECRET',
    API,
    '(generated at first start by serve)',
    secret,
    'Bearer token that /webhooks/inbox expects.',
    SECRET,
  ),
  secretKey: setting(
    'SECRET_KEY',
    API,
    '(generated at first start; required with DATABASE_URL)',
    secretKey,
    'Encrypts the secrets of webhook endpoints in the database: at least 32 characters, the same for all API processes ' +
      'on one database. If it is lost, so are those secrets. serve takes it only as MAILHATCH_SECRET_KEY or from a settings file.',
    SECRET,
  ),
  webhookAllowedHosts: setting(
    'WEBHOOK_ALLOWED_HOSTS',
    API,
    '(none)',
    parseAllowedHosts,
    'Hosts that may receive webhooks even if they are private or without TLS: host or host:port, separated by commas.',
  ),
  webhookRetryDelaysMs: setting(
    'WEBHOOK_RETRY_DELAYS',
    API,
    RETRY_DELAYS_MS.map((delayMs) => delayMs / 1000).join(','),
    retryDelays,
    'Seconds between delivery attempts of a webhook, separated by commas, each ±20 %. After the last one the delivery has failed.',
  ),
  defaultPlan: setting(
    'DEFAULT_PLAN',
    API,
    '(starter; serve: enterprise)',
    plan,
    'Plan of new teams: starter, pro or enterprise.',
  ),
  catchAll: setting(
    'INBOX_CATCH_ALL',
    API,
    null,
    text,
    'Team that receives mail no domain or mailbox claims: a team id, or bootstrap for the first team.',
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    API,
    '(on; serve: off)',
    oneOf(['on', 'off']),
    'Whether requests per team and minute are limited by the plan; counted per process.',
  ),
  sweepEverySeconds: setting(
    'RETENTION_SWEEP_SECONDS',
    API,
    '60',
    integer(1, 86_400),
    'How often expired messages are deleted. Reads never return them, even before that.',
  ),
  bootstrapDomain: setting(
    'BOOTSTRAP_DOMAIN',
    SERVE,
    'mailhatch.test',
    (given) => (given === '' ? null : domain(given)),
    'Domain of the team created at first start; every address in it works immediately. Empty: the shared root domain.',
  ),
  bootstrapApiKey: setting(
    'BOOTSTRAP_API_KEY',
    SERVE,
    '(random)',
    bootstrapKey,
    'API key created at first start, 20 to 200 printable characters.',
    SECRET,
  ),
  signUp: setting(
    'SIGN_UP',
    API,
    'invite',
    signUp,
    'Who may create an account: invite (only people a team has invited) or open (everyone).',
  ),
  smtpRelayUrl: setting(
    'SMTP_RELAY_URL',
    API,
    null,
    relayUrl,
    'SMTP server for mail to account holders (invites, password resets): smtp://user:password@host:port, or smtps://. ' +
      'Unset: invites are shown as links, and mailhatch users resets passwords.',
    SECRET,
  ),
  smtpRelayFrom: setting(
    'SMTP_RELAY_FROM',
    API,
    '(mailhatch@ the host of APP_URL)',
    text,
    'Sender address of that mail, for example Mailhatch <mailhatch@example.com>.',
  ),
  oidcIssuer: setting(
    'OIDC_ISSUER',
    API,
    null,
    issuerUrl,
    'Issuer URL of an OpenID Connect provider for sign-in. Register the redirect URL ' +
      'APP_URL/auth/oidc/callback there. Requires OIDC_CLIENT_ID.',
  ),
  oidcClientId: setting('OIDC_CLIENT_ID', API, null, text, 'Client id from the provider.'),
  oidcClientSecret: setting(
    'OIDC_CLIENT_SECRET',
    API,
    null,
    text,
    'Client secret from the provider; unset for a public client.',
    SECRET,
  ),
  domainProof: setting(
    'DOMAIN_PROOF',
    API,
    'off',
    oneOf(['off', 'txt']),
    'Whether a team must prove that it owns a custom domain: off (a saved domain works immediately) or txt (a TXT record ' +
      'at _mailhatch.<domain> is required).',
  ),
  stripeSecretKey: setting(
    'STRIPE_SECRET_KEY',
    API,
    null,
    text,
    'Stripe API key. With STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_PRO, owners can subscribe to the pro plan ' +
      'themselves. Unset: no billing.',
    SECRET,
  ),
  stripeWebhookSecret: setting(
    'STRIPE_WEBHOOK_SECRET',
    API,
    null,
    text,
    'Signing secret of the Stripe webhook that posts checkout.session.completed and customer.subscription.* to ' +
      'APP_URL/billing/webhook.',
    SECRET,
  ),
  stripePricePro: setting('STRIPE_PRICE_PRO', API, null, text, 'Id of the recurring Stripe price of the pro plan.'),
  stripeApiUrl: setting('STRIPE_API_URL', API, '(the public API)', httpUrl, 'URL of the Stripe API, for tests.'),
  trustProxy: setting(
    'TRUST_PROXY',
    API,
    'off',
    oneOf(['on', 'off']),
    'on: the API is reachable only through a proxy that appends to X-Forwarded-For. Its last entry is then the client ' +
      'address that limits sign-in attempts. Required behind every proxy; the log warns if it is missing.',
  ),
  workerUrl: setting(
    'WORKER_URL',
    API,
    null,
    httpUrl,
    'URL of a separate worker. A separate API uses the worker’s admin API to read and delete raw mail, ' +
      'and mailhatch worker <command> calls it. Requires ADMIN_TOKEN.',
  ),
  adminToken: setting(
    'ADMIN_TOKEN',
    BOTH,
    null,
    secret,
    'Bearer token of the worker’s admin API, which can read and delete all mail. Unset: the admin API responds with 401.',
    SECRET,
  ),
  workerPort: setting('WORKER_PORT', WORKER, '3005', port, 'Port of the worker’s health checks and admin API.'),
  storage: setting(
    'INBOX_STORAGE',
    BOTH,
    '(inbox.db in DATA_DIR)',
    storage,
    'Storage of raw mail: one SQLite file by default, file:<folder> for one file per mail, or ' +
      's3://<bucket>/<prefix>?endpoint=<URL>&region=<region>&style=<path or virtual> for S3-compatible storage. A separate ' +
      'API can read and delete raw mail only with the worker’s folder or bucket, or with WORKER_URL.',
  ),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', BOTH, null, text, 'Access key, required with INBOX_STORAGE=s3://….'),
  s3SecretAccessKey: setting(
    'S3_SECRET_ACCESS_KEY',
    BOTH,
    null,
    text,
    'Secret access key for S3_ACCESS_KEY_ID.',
    SECRET,
  ),
  emailDomain: setting(
    'EMAIL_DOMAIN',
    WORKER,
    '(INBOX_ROOT_DOMAIN)',
    domain,
    'Inbound root domain; must equal INBOX_ROOT_DOMAIN of the API.',
  ),
  webhookUrl: setting(
    'WEBHOOK_URL',
    WORKER,
    '(serve: its own API)',
    anyHttpUrl,
    'URL of the API’s /webhooks/inbox, with http:// or https://. Unset: mail is only stored.',
  ),
  webhookAuthToken: setting(
    'WEBHOOK_AUTH_TOKEN',
    WORKER,
    '(serve: INBOX_WEBHOOK_SECRET)',
    secret,
    'Bearer token sent to the API; must equal its INBOX_WEBHOOK_SECRET.',
    SECRET,
  ),
  webhookTimeoutMs: setting(
    'WEBHOOK_TIMEOUT_MS',
    WORKER,
    '10000',
    clampedTimeout,
    'How long the API may take to respond to an announcement, from 1000 to 60000.',
  ),
  refusedMailDays: setting(
    'REFUSED_MAIL_DAYS',
    WORKER,
    '(kept)',
    integer(1, 3_650),
    'Days after the last attempt until mail for unknown domains or mailboxes is deleted. Unset: it is kept.',
  ),
  workerName: setting(
    'EMAIL_WORKER_NAME',
    WORKER,
    null,
    text,
    'Name of the worker on Cloudflare that the catch-all rule routes to.',
  ),
  cloudflareZoneId: setting('CLOUDFLARE_ZONE_ID', WORKER, null, text, 'Cloudflare zone that the admin API manages.'),
  cloudflareApiToken: setting(
    'CLOUDFLARE_API_TOKEN',
    WORKER,
    null,
    secret,
    'Cloudflare token with permission to edit Email Routing and DNS of the zone.',
    SECRET,
  ),
  cloudflareApiUrl: setting(
    'CLOUDFLARE_API_URL',
    WORKER,
    '(the public API)',
    httpUrl,
    'URL of the Cloudflare API, for tests.',
  ),
  smtpPort: setting(
    'SMTP_PORT',
    WORKER,
    '(2525; with COMPAT: 1025)',
    port,
    'Port of the SMTP listener; 0 picks a free one.',
  ),
  compat: setting(
    'COMPAT',
    API,
    null,
    oneOf(PEER_NAMES),
    `Serves the API of another mail catcher, so that its clients need no change: ${PEER_NAMES.join(', ')}. Below /compat/<name>/ of the API ` +
      'with a key; serve also opens COMPAT_PORT, receives mail for all addresses and listens for SMTP on port 1025, ' +
      'unless other settings say otherwise.',
  ),
  compatPort: setting(
    'COMPAT_PORT',
    API,
    '8025',
    port,
    'Port of that API in serve, where requests without a key see the first team; 0 picks a free one.',
  ),
  compatHost: setting(
    'COMPAT_HOST',
    API,
    '127.0.0.1',
    text,
    'Address that COMPAT_PORT listens on. Anyone who reaches it can read, delete and send mail of the first team.',
  ),
  smtpHost: setting('SMTP_HOST', WORKER, '(HOST)', text, 'Address that the SMTP listener listens on.'),
  smtpMaxSizeBytes: setting(
    'SMTP_MAX_SIZE',
    WORKER,
    '26214400',
    integer(1_024, 1_073_741_824),
    'Maximum size of a mail in bytes. The default, 25 MiB, is the limit of Cloudflare Email Routing.',
  ),
  smtpAllowedDomains: setting(
    'SMTP_ALLOWED_DOMAINS',
    WORKER,
    null,
    (given) => list(given).map(domain),
    'Recipient domains that the SMTP listener accepts, separated by commas. Unset: all.',
  ),
  smtpAuthUser: setting(
    'SMTP_AUTH_USER',
    WORKER,
    null,
    text,
    'User name that SMTP clients must authenticate with. Requires SMTP_AUTH_PASS.',
  ),
  smtpAuthPassword: setting('SMTP_AUTH_PASS', WORKER, null, text, 'Password for SMTP_AUTH_USER.', SECRET),
  smtpStartTls: setting(
    'SMTP_STARTTLS',
    WORKER,
    'off',
    oneOf(['off', 'self-signed']),
    'self-signed: generates a certificate at start if none is configured. Many mail libraries use STARTTLS whenever it is offered ' +
      'and then refuse a self-signed certificate, so the default is off.',
  ),
  smtpTlsCert: setting('SMTP_TLS_CERT', WORKER, null, readableFile, 'PEM file with the certificate for STARTTLS.'),
  smtpTlsKey: setting('SMTP_TLS_KEY', WORKER, null, readableFile, 'PEM file with the private key of the certificate.'),
  smtpHiddenExtensions: setting(
    'SMTP_HIDE_EXTENSIONS',
    WORKER,
    null,
    extensions,
    'Extensions that the SMTP listener does not have, separated by commas, to test how an app sends to simpler servers: ' +
      `${EXTENSIONS.join(', ')}.`,
  ),
  diskFreeMinBytes: setting(
    'DISK_FREE_MIN',
    WORKER,
    '(5 % of the disk, at most 1 GiB, at least two messages)',
    integer(0, Number.MAX_SAFE_INTEGER),
    'Bytes that must stay free on the disk. Below this, mail is refused temporarily (452).',
  ),
} as const
