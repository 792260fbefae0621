import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { resolveMx } from 'node:dns/promises'
import { connect as connectSocket } from 'node:net'
import { once } from 'node:events'
import { ForbiddenError, Mailhatch } from '@mailhatch/sdk'
import { clientOf, type Connection } from './connection.ts'
import { readSmtpAddress } from './smtp.ts'
import { masked, sayFound } from './whoami.ts'

const ANSWER_MS_MAX = 5_000
/** Beyond it, `--since 1m` and the like would look at other minutes than those meant. */
const CLOCK_SKEW_MS_MAX = 5_000
const DISK_FREE_BYTES_MIN = 1_073_741_824
/** Names that are never in the DNS of the world: RFC 2606 and 6761. */
const RESERVED_DOMAIN = /(^|\.)(test|example|invalid|localhost|local|internal)$/

export type Finding = { state: 'ok' | 'warn' | 'fail' | 'skip'; says: string }
export type Patient = { connection: Connection; dataDir: string }
export type Check = (patient: Patient) => Promise<Finding>

/** Where nothing answers, these have nothing to add. */
export const ASKING_SERVER = ['key', 'clock', 'dns', 'webhooks']

/** In this order: each stands on those before it. */
export const CHECKS: Record<string, Check> = {
  async server({ connection: { url } }) {
    const { status, troubles } = await new Mailhatch({ url: url.value, retries: 0, timeout: ANSWER_MS_MAX }).ready()
    return status === 'ready'
      ? ok(`${url.value} (${url.from}) is ready`)
      : fail(`${url.value} is not ready: ${troubles.join(', ')}`)
  },

  async key({ connection }) {
    const { key, team } = await clientOf(connection).me()
    // Without a key there would have been no client.
    return ok(`${sayFound(key.name, masked(connection.apiKey!))}: ${key.scopes.join(', ')} of ${team.name}`)
  },

  async clock({ connection: { url } }) {
    const response = await fetch(`${url.value}/health`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    const theirs = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(theirs)) return warn('the server does not say what time it is')
    const skewMs = Math.abs(Date.now() - theirs)
    const says = `${Math.round(skewMs / 1000)} s from the server’s`
    return skewMs > CLOCK_SKEW_MS_MAX ? warn(`${says}; --since goes by this machine’s clock`) : ok(says)
  },

  async smtp({ connection: { smtp } }) {
    const { host, port, secure } = readSmtpAddress(smtp.value)
    if (secure) return ok(`${smtp.value} (${smtp.from}) is not asked: it speaks TLS from the start`)
    const greeting = await greetingOf(host, port)
    if (!greeting.startsWith('220')) return fail(`what answers at ${host}:${port} is no SMTP server`)
    return ok(`${host}:${port} (${smtp.from}) takes mail`)
  },

  async dns({ connection }) {
    const { domain } = (await clientOf(connection).me()).team
    if (RESERVED_DOMAIN.test(domain)) return ok(`${domain} is for tests on this network, and needs no records`)
    const records = await resolveMx(domain).catch(() => [])
    return records.length === 0
      ? warn(`${domain} has no MX record: mail reaches it only through ${connection.smtp.value}`)
      : ok(`mail for ${domain} goes to ${records.map(({ exchange }) => exchange).join(', ')}`)
  },

  async disk({ dataDir }) {
    if (!existsSync(dataDir)) return ok('there is no data of a server in this folder')
    const { bavail, bsize } = await statfs(dataDir)
    const says = `${Math.floor((bavail * bsize) / 1_048_576)} MiB free for ${dataDir}`
    return bavail * bsize < DISK_FREE_BYTES_MIN ? warn(says) : ok(says)
  },

  async webhooks({ connection }) {
    const mailhatch = clientOf(connection)
    try {
      const endpoints = await mailhatch.webhooks.list()
      const off = endpoints.filter(({ active }) => !active)
      const pending = await Promise.all(
        endpoints.map(({ id }) => mailhatch.webhooks.deliveries(id, { status: 'pending', limit: 100 })),
      )
      const waiting = pending.reduce((sum, { length }) => sum + length, 0)
      const says = `${endpoints.length} endpoints, ${off.length} switched off, ${waiting} deliveries waiting`
      return off.length + waiting > 0 ? warn(says) : ok(says)
    } catch (error) {
      if (error instanceof ForbiddenError) return ok('not asked: this key may not see them')
      throw error
    }
  },
}

async function greetingOf(host: string, port: number): Promise<string> {
  const socket = connectSocket({ host, port, timeout: ANSWER_MS_MAX })
  socket.once('timeout', () => socket.destroy(new Error('late')))
  try {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return bytes.toString('latin1')
  } catch (error) {
    // Not its words: where a name has several addresses, it has none.
    const reason = error instanceof Error && 'code' in error ? `: ${String(error.code)}` : ''
    throw new Error(`nothing takes mail at ${host}:${port}${reason}`, { cause: error })
  } finally {
    socket.destroy()
  }
}

function ok(says: string): Finding {
  return { state: 'ok', says }
}

function warn(says: string): Finding {
  return { state: 'warn', says }
}

function fail(says: string): Finding {
  return { state: 'fail', says }
}
