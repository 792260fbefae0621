import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { splitHosts } from '../../store/postgres-hosts.ts'
import { RESERVED_DOMAIN } from '../doctor-checks.ts'
import { fail, joined, ok, warn, type Finding } from '../finding.ts'
import type { Installation } from './installation.ts'

/** Two attempts, as for the endpoints of webhooks. */
const ATTEMPT_MS = 1_500
const ATTEMPTS = 2
/** The system's own lookup takes its limit from resolv.conf, and cannot be stopped. */
const LOOKUP_MS_MAX = 5_000
/** Every new connection waits for it. */
const SLOW_MS = 500

const NO_ANSWER = 'Check /etc/resolv.conf and the firewall: the name server does not respond.'

/** Replaced in tests by name servers of their own. */
export type NameService = {
  resolveMx(domain: string): Promise<{ exchange: string }[]>
  lookup(host: string): Promise<{ address: string }[]>
}

/** The name servers of this machine, or others. */
export function createNameService(servers: string[] | null = null): NameService {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS })
  if (servers) resolver.setServers(servers)
  return {
    resolveMx: (domain) => resolver.resolveMx(domain),
    // As the drivers do: with the hosts file and the search domains of a cluster.
    lookup: (host) => lookup(host, { all: true }),
  }
}

export async function checkNames(
  installation: Installation,
  names: NameService = createNameService(),
): Promise<Finding> {
  const findings = [
    ...domainsOf(installation).map((domain) => checkDomain(domain, names)),
    ...hostsOf(installation).map(({ host, setting }) => checkHost({ host, setting }, names)),
  ]
  return joined(await Promise.all(findings))
}

/** Domains whose mail should arrive here. */
function domainsOf({ program, config }: Installation): string[] {
  const { rootDomain, emailDomain, bootstrapDomain, smtpAllowedDomains } = config
  const given = program === 'api' ? [rootDomain] : [emailDomain, ...(smtpAllowedDomains ?? [])]
  return Array.from(new Set([...given, ...(program === 'serve' && bootstrapDomain ? [bootstrapDomain] : [])]))
}

/** Hosts that this program connects to. */
function hostsOf({ program, config }: Installation): { host: string; setting: string }[] {
  const { databaseUrl, databaseDirectUrl, storage, webhookUrl, workerUrl, smtpRelayUrl } = config
  const hosts = (urls: string[], setting: string) =>
    urls.map((url) => ({ host: new URL(url).hostname.replaceAll(/[[\]]/g, ''), setting }))
  const found = [
    ...hosts(databaseUrl && program !== 'worker' ? splitHosts(databaseUrl) : [], 'DATABASE_URL'),
    ...hosts(databaseDirectUrl && program !== 'worker' ? [databaseDirectUrl] : [], 'DATABASE_DIRECT_URL'),
    ...hosts(storage?.kind === 's3' ? [storage.location.url] : [], 'INBOX_STORAGE'),
    ...hosts(webhookUrl ? [webhookUrl] : [], 'WEBHOOK_URL'),
    ...hosts(workerUrl ? [workerUrl] : [], 'WORKER_URL'),
    ...hosts(smtpRelayUrl ? [smtpRelayUrl] : [], 'SMTP_RELAY_URL'),
  ]
  return found.filter(({ host }) => host !== '' && isIP(host) === 0)
}

async function checkDomain(domain: string, names: NameService): Promise<Finding> {
  if (RESERVED_DOMAIN.test(domain)) return ok(`${domain} is a reserved test domain and needs no DNS records`)
  const startedAt = performance.now()
  try {
    const records = await names.resolveMx(domain)
    const targets = records.map(({ exchange }) => exchange).join(', ')
    return ok(`mail for ${domain} goes to ${targets} (${took(startedAt)})`)
  } catch (error) {
    if (!isAbsent(error)) return fail(`the MX records of ${domain}: no answer (${took(startedAt)})`, NO_ANSWER)
    return warn(
      `${domain} has no MX record`,
      'Mail from other servers does not arrive: add an MX record that names this server.',
    )
  }
}

async function checkHost({ host, setting }: { host: string; setting: string }, names: NameService): Promise<Finding> {
  const startedAt = performance.now()
  try {
    const [first] = await withoutWaiting(names.lookup(host))
    const ms = performance.now() - startedAt
    const says = `${host} (${setting}) is ${first?.address ?? 'unknown'} (${took(startedAt)})`
    return ms > SLOW_MS ? warn(says, 'Every new connection waits for this: use a name server nearby.') : ok(says)
  } catch (error) {
    if (!isAbsent(error)) return fail(`${host} (${setting}): no answer (${took(startedAt)})`, NO_ANSWER)
    return fail(`${host} (${setting}) does not exist`, `Check the host name in ${setting}.`)
  }
}

/** Rejects at the limit. The lookup itself goes on in its thread, and the process ends after it. */
async function withoutWaiting<Result>(looking: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer')), LOOKUP_MS_MAX)
  try {
    return await Promise.race([looking, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The name server responded, and there is no such record. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOTFOUND', 'ENODATA'].includes(String(error.code))
}

function took(startedAt: number): string {
  return `${Math.round(performance.now() - startedAt)} ms`
}
