import type { Context, Hono } from 'hono'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { readText } from '../body-text.ts'
import { parseRecipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { invalid, readDomain } from './admin-params.ts'
import { requireSettings, type AdminSettings } from './admin-settings.ts'
import { createProvider } from './provider.ts'

/** The largest valid body contains one domain name. */
const BODY_BYTES_MAX = 16 * 1024
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i

export function addProviderRoutes(app: Hono<AnswerEnvironment>, settings: AdminSettings): void {
  const provider = createProvider(settings)

  app.get('/admin/catch-all', async (context) => context.json(await provider.catchAllRule()))

  app.post('/admin/catch-all/worker', async (context) => {
    requireSettings(settings, ['workerName', 'zoneId', 'apiToken'])
    const { enabled = true } = await readBody(context)
    if (typeof enabled !== 'boolean') throw invalid('enabled', 'must be true or false')
    await provider.routeCatchAll({ enabled })
    return context.json({ ok: true })
  })

  app.get('/admin/email-routing/dns', async (context) => {
    requireSettings(settings, ['zoneId', 'apiToken'])
    return context.json(await provider.dnsRecords(readDomain(settings, context.req.query('subdomain'), 'subdomain')))
  })

  app.post('/admin/email-routing/dns/enable', async (context) => {
    requireSettings(settings, ['zoneId', 'apiToken'])
    const name = readDomain(settings, textOf(await readBody(context), 'name'), 'name')
    await provider.enableDns(name)
    return context.json({ ok: true })
  })

  app.post('/admin/subdomains', async (context) => {
    const { emailDomain } = requireSettings(settings, ['emailDomain', 'zoneId', 'apiToken'])
    const domain = findSubdomain(await readBody(context), emailDomain.toLowerCase())
    await provider.enableDns(domain)
    return context.json({ ok: true, domain })
  })

  function findSubdomain(body: Record<string, unknown>, root: string): string {
    const subdomain = textOf(body, 'subdomain')
    const domain = readDomain(settings, textOf(body, 'domain'), 'domain')
    if (domain === null && !subdomain) throw new AppError('validation_failed', 'Provide domain or subdomain')
    const isUnderRoot = (name: string) => name === root || name.endsWith(`.${root}`)
    if (domain !== null) {
      if (!isUnderRoot(domain)) throw new AppError('validation_failed', 'Domain not managed by this worker')
      return domain
    }
    const given = subdomain!.trim().toLowerCase()
    const parsed = parseRecipient(`a@${isUnderRoot(given) ? given : `${given}.${root}`}`)?.domain
    if (parsed === undefined) throw invalid('subdomain', 'must be a label such as team')
    return parsed
  }
}

function textOf(body: Record<string, unknown>, field: string): string | undefined {
  const value = body[field] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw invalid(field, 'must be a string')
  return value?.trim()
}

/** Treats an empty body as an empty object. */
async function readBody(context: Context<AnswerEnvironment>): Promise<Record<string, unknown>> {
  const text = await readText(context.req.raw, BODY_BYTES_MAX)
  if (text.trim() === '') return {}
  const type = context.req.header('content-type')
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw new AppError('unsupported_media_type', 'Send JSON, with Content-Type: application/json.')
  }
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('body', 'must be a JSON object')
  // The keys of a JSON object are strings.
  return body as Record<string, unknown>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('body', 'is not JSON')
  }
}
