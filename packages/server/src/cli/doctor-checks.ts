import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { resolveMx } from 'node:dns/promises'
import { connect as connectSocket } from 'node:net'
import { once } from 'node:events'
import { ForbiddenError, Mailhatch, type Rejection } from '@mailhatch/sdk'
import { clientOf, type Connection } from './connection.ts'
import { countOf } from './count-of.ts'
import { fail, ok, warn, type Finding } from './finding.ts'
import { sizeText } from './human.ts'
import { readSmtpAddress } from './smtp.ts'
import { unclaimedText } from './unclaimed-text.ts'
import { describeFound, masked } from './whoami.ts'

const ANSWER_MS_MAX = 5_000
/** With more skew, relative times such as `--since 1m` would be off. */
const CLOCK_SKEW_MS_MAX = 5_000
/** Recent enough to be the mail that the user is looking for. */
const REFUSED_WITHIN_MS = 3_600_000
/** More would not fit on a line. */
const DOMAINS_SHOWN_MAX = 3
/** The server's limit. */
const REFUSALS_MAX = 200
const DISK_FREE_BYTES_MIN = 1_073_741_824
/** Domains that never exist in public DNS (RFC 2606 and 6761). */
export const RESERVED_DOMAIN = /(^|\.)(test|example|invalid|localhost|local|internal)$/

export type CheckInput = { connection: Connection; dataDir: string }
export type Check = (input: CheckInput) => Promise<Finding>

/** Skipped if the server is unreachable. */
export const CHECKS_OF_SERVER = ['key', 'clock', 'dns', 'refusals', 'webhooks']

/** In this order, because each relies on the previous ones. */
export const CHECKS: Record<string, Check> = {
  async server({ connection: { url } }) {
    const { status, troubles } = await new Mailhatch({ url: url.value, retries: 0, timeout: ANSWER_MS_MAX }).ready()
    return status === 'ready'
      ? ok(`${url.value} (${url.from}) is ready`)
      : fail(`${url.value} is not ready: ${troubles.join(', ')}`)
  },

  async key({ connection }) {
    const { key, team } = await clientOf(connection).me()
    // clientOf throws without a key.
    return ok(`${describeFound(key.name, masked(connection.apiKey!))}: ${key.scopes.join(', ')} in team ${team.name}`)
  },

  async clock({ connection: { url } }) {
    const response = await fetch(`${url.value}/health`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    const theirs = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(theirs)) return warn('the server sends no Date header')
    const skewMs = Math.abs(Date.now() - theirs)
    const says = `${Math.round(skewMs / 1000)} s difference from the server’s clock`
    return skewMs > CLOCK_SKEW_MS_MAX ? warn(`${says}; --since uses this machine’s clock`) : ok(says)
  },

  async smtp({ connection: { smtp } }) {
    const { host, port, secure } = readSmtpAddress(smtp.value)
    if (secure) return ok(`${smtp.value} (${smtp.from}) was not checked: it uses implicit TLS`)
    const greeting = await greetingOf(host, port)
    if (!greeting.startsWith('220')) return fail(`${host}:${port} is not an SMTP server`)
    return ok(`${host}:${port} (${smtp.from}) accepts mail`)
  },

  async dns({ connection }) {
    const { domain } = (await clientOf(connection).me()).team
    if (RESERVED_DOMAIN.test(domain)) return ok(`${domain} is a reserved test domain and needs no DNS records`)
    const records = await resolveMx(domain).catch(() => [])
    return records.length === 0
      ? warn(`${domain} has no MX record: mail arrives only through ${connection.smtp.value}`)
      : ok(`mail for ${domain} goes to ${records.map(({ exchange }) => exchange).join(', ')}`)
  },

  async refusals({ connection }) {
    const since = new Date(Date.now() - REFUSED_WITHIN_MS).toISOString()
    try {
      const refused = await clientOf(connection).rejections.list({ since, limit: REFUSALS_MAX })
      return refused.length === 0 ? ok('no mail was refused in the last hour') : warn(refusalsText(refused))
    } catch (error) {
      if (error instanceof ForbiddenError) return ok('not checked: this key has no permission')
      throw error
    }
  },

  async disk({ dataDir }) {
    if (!existsSync(dataDir)) return ok('no server data in this folder')
    const { bavail, bsize } = await statfs(dataDir)
    const says = `${sizeText(bavail * bsize)} free for ${dataDir}`
    return bavail * bsize < DISK_FREE_BYTES_MIN ? warn(says) : ok(says)
  },

  async webhooks({ connection }) {
    const mailhatch = clientOf(connection)
    try {
      const endpoints = await mailhatch.webhooks.list()
      const disabled = endpoints.filter(({ active }) => !active)
      const pending = await Promise.all(
        endpoints.map(({ id }) => mailhatch.webhooks.deliveries(id, { status: 'pending', limit: 100 })),
      )
      const waiting = pending.reduce((sum, { length }) => sum + length, 0)
      const says = `${countOf(endpoints.length, 'endpoint')}, ${disabled.length} disabled, ${countOf(waiting, 'delivery', 'deliveries')} pending`
      return disabled.length + waiting > 0 ? warn(says) : ok(says)
    } catch (error) {
      if (error instanceof ForbiddenError) return ok('not checked: this key has no permission')
      throw error
    }
  },
}

/** Mail for domains without a team is the most common reason for a missing mail, so it comes first. */
function refusalsText(refused: Rejection[]): string {
  const unclaimed = refused.filter(({ code }) => code === 'inbox_domain_unknown')
  const [newest] = refused
  if (unclaimed.length === 0) {
    return `${countOf(refused.length, 'rejection')} in the last hour, the newest for mail to ${newest!.to}: ${newest!.reason}`
  }
  const domains = Array.from(new Set(unclaimed.map(({ to }) => to.slice(to.lastIndexOf('@') + 1).toLowerCase())))
  const named = domains.slice(0, DOMAINS_SHOWN_MAX).join(', ')
  const more = domains.length > DOMAINS_SHOWN_MAX ? ` and ${domains.length - DOMAINS_SHOWN_MAX} more` : ''
  return unclaimedText(`Mail to ${named}${more} (${unclaimed.length} in the last hour)`)
}

async function greetingOf(host: string, port: number): Promise<string> {
  const socket = connectSocket({ host, port, timeout: ANSWER_MS_MAX })
  socket.once('timeout', () => socket.destroy(new Error('timeout')))
  try {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return bytes.toString('latin1')
  } catch (error) {
    // Use the code: the message is empty if the host name has several addresses.
    const reason = error instanceof Error && 'code' in error ? `: ${String(error.code)}` : ''
    throw new Error(`no SMTP server at ${host}:${port}${reason}`, { cause: error })
  } finally {
    socket.destroy()
  }
}
