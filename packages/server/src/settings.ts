import {
  bootstrapKey,
  clampedTimeout,
  databaseUrl,
  domain,
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
import { RETRY_DELAYS_MS } from './domain/delivery-schedule.ts'
import { parseAllowedHosts } from './notify/webhook-url.ts'

/** Who reads a setting: the API, the inbox worker, or both. The all-in-one program reads all. */
type Part = 'api' | 'worker'
export type Program = 'serve' | Part

export type Setting<Value = unknown> = {
  variable: string
  parts: Part[]
  help: string
  /** As written in the environment; a sentence in parentheses where another setting decides; null when there is none. */
  default: string | null
  isSecret: boolean
  /** Throws with what it expected. */
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

const API: Part[] = ['api']
const WORKER: Part[] = ['worker']
const BOTH: Part[] = ['api', 'worker']
const SECRET = { isSecret: true }

/** The one table of settings: it validates, and --help, .env.example and docs/reference/settings.md are made from it. */
export const SETTINGS = {
  dataDir: setting('DATA_DIR', BOTH, '.mailhatch', resolvePath, 'Folder of the databases, secrets and spooled mail.'),
  databaseUrl: setting(
    'DATABASE_URL',
    API,
    '(a SQLite file in DATA_DIR)',
    databaseUrl,
    'PostgreSQL to keep messages in, for several API processes at once: postgres://user:password@host:port/database. ' +
      'TLS with ?sslmode=verify-full.',
    SECRET,
  ),
  databaseDirectUrl: setting(
    'DATABASE_DIRECT_URL',
    API,
    null,
    databaseUrl,
    'Direct address of the database, for notifications, locks and migrations. Set it when DATABASE_URL goes through a ' +
      'pooler in transaction mode (PgBouncer).',
    SECRET,
  ),
  host: setting('HOST', BOTH, '127.0.0.1', text, 'Address that the API and the worker listen on.'),
  logLevel: setting(
    'LOG_LEVEL',
    BOTH,
    'info',
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'How much is logged.',
  ),
  metrics: setting(
    'METRICS',
    BOTH,
    'off',
    oneOf(['on', 'off']),
    'on answers GET /metrics on PORT and WORKER_PORT, without a key, with numbers for Prometheus.',
  ),
  port: setting('PORT', API, '3003', port, 'Port of the API; 0 takes a free one.'),
  appUrl: setting('APP_URL', API, '(http://localhost:PORT)', httpUrl, 'Public address of the API.'),
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
    'Shared inbound domain: mailboxes of teams without a domain of their own live here.',
  ),
  webhookSecret: setting(
    'INBOX_WEBHOOK_SECRET',
    API,
    '(made at first start by serve)',
    secret,
    'Bearer token that /webhooks/inbox expects.',
    SECRET,
  ),
  secretKey: setting(
    'SECRET_KEY',
    API,
    '(made at first start; with DATABASE_URL it is needed)',
    secretKey,
    'Encrypts the secrets of webhook endpoints in the database: at least 32 characters, the same for all API processes ' +
      'on one database. Without it those secrets are lost.',
    SECRET,
  ),
  webhookAllowedHosts: setting(
    'WEBHOOK_ALLOWED_HOSTS',
    API,
    '(none)',
    parseAllowedHosts,
    'Hosts that webhooks may be sent to although they are private or without TLS: host or host:port, separated by commas.',
  ),
  webhookRetryDelaysMs: setting(
    'WEBHOOK_RETRY_DELAYS',
    API,
    RETRY_DELAYS_MS.map((delayMs) => delayMs / 1000).join(','),
    retryDelays,
    'Seconds between the attempts of a webhook, each ±20 %, separated by commas; after the last one it has failed.',
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
    'Team id, or bootstrap: this team gets the mail that no domain or mailbox claims.',
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    API,
    '(on; serve: off)',
    oneOf(['on', 'off']),
    'Whether requests are limited, by team, plan and minute; counted per process.',
  ),
  sweepEverySeconds: setting(
    'RETENTION_SWEEP_SECONDS',
    API,
    '60',
    integer(1, 86_400),
    'How often messages that have expired are removed for good; reads do not show them in any case.',
  ),
  bootstrapDomain: setting(
    'BOOTSTRAP_DOMAIN',
    API,
    'mailhatch.test',
    (given) => (given === '' ? null : domain(given)),
    'Domain of the team made at first start: any address there works at once. Empty: the shared root domain.',
  ),
  bootstrapApiKey: setting(
    'BOOTSTRAP_API_KEY',
    API,
    '(random)',
    bootstrapKey,
    'API key made at first start, 20 to 200 printable characters.',
    SECRET,
  ),
  signUp: setting(
    'SIGN_UP',
    API,
    'invite',
    signUp,
    'Who may make an account: invite, those whom a team has invited; open, everyone.',
  ),
  smtpRelayUrl: setting(
    'SMTP_RELAY_URL',
    API,
    null,
    relayUrl,
    'SMTP server for mail to people with accounts (invites, new passwords): smtp://user:password@host:port, or smtps://. ' +
      'Unset: invites are shown as links, and new passwords are given by mailhatch users.',
    SECRET,
  ),
  smtpRelayFrom: setting(
    'SMTP_RELAY_FROM',
    API,
    '(mailhatch@ the host of APP_URL)',
    text,
    'Sender of that mail, such as Mailhatch <mailhatch@example.com>.',
  ),
  oidcIssuer: setting(
    'OIDC_ISSUER',
    API,
    null,
    issuerUrl,
    'Address of an OpenID Connect provider by which people may sign in; its redirect address is ' +
      'APP_URL/auth/oidc/callback. Needs OIDC_CLIENT_ID.',
  ),
  oidcClientId: setting('OIDC_CLIENT_ID', API, null, text, 'Client id that the provider has given.'),
  oidcClientSecret: setting(
    'OIDC_CLIENT_SECRET',
    API,
    null,
    text,
    'Client secret that the provider has given; unset for a public client.',
    SECRET,
  ),
  domainProof: setting(
    'DOMAIN_PROOF',
    API,
    'off',
    oneOf(['off', 'txt']),
    'Whether a team must show that a custom domain is theirs: off, a saved domain works at once; txt, after a TXT record ' +
      'was found at _mailhatch.<domain>.',
  ),
  stripeSecretKey: setting(
    'STRIPE_SECRET_KEY',
    API,
    null,
    text,
    'Key of the Stripe API. With STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_PRO, owners can take the plan pro by ' +
      'themselves; without them there is no billing.',
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
  stripePricePro: setting('STRIPE_PRICE_PRO', API, null, text, 'Id of the recurring Stripe price of the plan pro.'),
  stripeApiUrl: setting('STRIPE_API_URL', API, '(Stripe’s own)', httpUrl, 'Address of the Stripe API, for tests.'),
  trustProxy: setting(
    'TRUST_PROXY',
    API,
    'off',
    oneOf(['on', 'off']),
    'on: the API is reached only through a proxy that adds to X-Forwarded-For, whose last entry is then the client’s ' +
      'address. Sign-in tries are limited by it. Required behind any proxy; the log warns when it is missing.',
  ),
  workerUrl: setting(
    'WORKER_URL',
    API,
    null,
    httpUrl,
    'Address of a worker that runs elsewhere: an API of its own serves and removes raw mail by the worker’s admin ' +
      'API, and mailhatch worker <command> talks to it. Needs ADMIN_TOKEN.',
  ),
  adminToken: setting(
    'ADMIN_TOKEN',
    BOTH,
    null,
    secret,
    'Bearer token of the worker’s admin API, which reads and removes all mail. Unset: the admin API answers 401.',
    SECRET,
  ),
  workerPort: setting('WORKER_PORT', WORKER, '3005', port, 'Port of the worker’s health check and admin API.'),
  storage: setting(
    'INBOX_STORAGE',
    BOTH,
    '(inbox.db in DATA_DIR)',
    storage,
    'Where raw mail is kept: one SQLite file by default, file:<folder> for one file per mail, or ' +
      's3://<bucket>/<prefix>?endpoint=<URL>&region=<region>&style=<path or virtual> for any storage that speaks S3. An ' +
      'API of its own serves and removes raw mail only if it is given the worker’s folder or bucket, or WORKER_URL.',
  ),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', BOTH, null, text, 'Access key, needed where INBOX_STORAGE is s3://….'),
  s3SecretAccessKey: setting('S3_SECRET_ACCESS_KEY', BOTH, null, text, 'Secret of that access key.', SECRET),
  emailDomain: setting('EMAIL_DOMAIN', WORKER, '(INBOX_ROOT_DOMAIN)', domain, 'Inbound root domain; equals the API’s.'),
  webhookUrl: setting(
    'WEBHOOK_URL',
    WORKER,
    '(serve: its own API)',
    httpUrl,
    'Address of the API’s /webhooks/inbox, with http:// or https://. Unset: mail is only stored.',
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
    'How long the API may take to answer an announcement; kept between 1000 and 60000.',
  ),
  refusedMailDays: setting(
    'REFUSED_MAIL_DAYS',
    WORKER,
    '(kept)',
    integer(1, 3_650),
    'Days after the last attempt until mail for unknown domains or mailboxes is removed. Unset: it is kept.',
  ),
  workerName: setting(
    'EMAIL_WORKER_NAME',
    WORKER,
    null,
    text,
    'Name of the worker deployed on Cloudflare, to which the admin API routes the catch-all rule.',
  ),
  cloudflareZoneId: setting('CLOUDFLARE_ZONE_ID', WORKER, null, text, 'Zone that the admin API manages on Cloudflare.'),
  cloudflareApiToken: setting(
    'CLOUDFLARE_API_TOKEN',
    WORKER,
    null,
    secret,
    'Cloudflare token that may edit Email Routing and DNS of the zone.',
    SECRET,
  ),
  cloudflareApiUrl: setting(
    'CLOUDFLARE_API_URL',
    WORKER,
    '(Cloudflare’s own)',
    httpUrl,
    'Address of the Cloudflare API, for tests.',
  ),
  smtpPort: setting('SMTP_PORT', WORKER, '2525', port, 'Port of the SMTP listener; 0 takes a free one.'),
  smtpHost: setting('SMTP_HOST', WORKER, '(HOST)', text, 'Address that the SMTP listener listens on.'),
  smtpMaxSizeBytes: setting(
    'SMTP_MAX_SIZE',
    WORKER,
    '26214400',
    integer(1_024, 1_073_741_824),
    'Largest mail in bytes; 25 MiB is what Cloudflare Email Routing takes.',
  ),
  smtpAllowedDomains: setting(
    'SMTP_ALLOWED_DOMAINS',
    WORKER,
    null,
    (given) => list(given).map(domain),
    'Recipient domains that the SMTP listener takes, separated by commas. Unset: all.',
  ),
  smtpAuthUser: setting('SMTP_AUTH_USER', WORKER, null, text, 'With SMTP_AUTH_PASS: clients must sign in so.'),
  smtpAuthPassword: setting('SMTP_AUTH_PASS', WORKER, null, text, 'Password for SMTP_AUTH_USER.', SECRET),
  smtpStartTls: setting(
    'SMTP_STARTTLS',
    WORKER,
    'off',
    oneOf(['off', 'self-signed']),
    'Without a certificate: self-signed makes one at start. Many mail libraries upgrade whenever STARTTLS is offered ' +
      'and then refuse a self-signed certificate, so it is off unless asked for.',
  ),
  smtpTlsCert: setting('SMTP_TLS_CERT', WORKER, null, readableFile, 'PEM file with the certificate for STARTTLS.'),
  smtpTlsKey: setting('SMTP_TLS_KEY', WORKER, null, readableFile, 'PEM file with the certificate’s key.'),
  diskFreeMinBytes: setting(
    'DISK_FREE_MIN',
    WORKER,
    '(5 % of the disk, at most 1 GiB, at least two mails)',
    integer(0, Number.MAX_SAFE_INTEGER),
    'Bytes that must stay free on the disk; below, mail is refused for the time being (452).',
  ),
} as const
