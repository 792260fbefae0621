import { AppError } from '../domain/errors.ts'
import { requireSettings, type AdminSettings } from './admin-settings.ts'

const CLOUDFLARE_URL = 'https://api.cloudflare.com/client/v4'
/** Cloudflare responds within a second or two. Our own client waits as long as this call. */
const RESPONSE_MS_MAX = 15_000
/** Limits on the error messages passed on from the provider. */
const MESSAGES_MAX = 10
const MESSAGE_CHARACTERS_MAX = 300

export type Provider = {
  catchAllRule(): Promise<unknown>
  /** Turns the rule on or off that routes all unmatched mail to the worker. */
  routeCatchAll(route: { enabled: boolean }): Promise<void>
  /** Without a name, the records of the zone itself. */
  dnsRecords(name: string | null): Promise<unknown>
  enableDns(name: string | null): Promise<void>
}

type Call = { method: 'GET' | 'POST' | 'PUT'; path: string; body?: object }

/** Calls the API of Cloudflare Email Routing for the configured zone. */
export function createProvider(settings: AdminSettings, responseMsMax = RESPONSE_MS_MAX): Provider {
  async function call({ method, path, body }: Call): Promise<unknown> {
    const { zoneId, apiToken } = requireSettings(settings, ['zoneId', 'apiToken'])
    const url = `${settings.apiUrl ?? CLOUDFLARE_URL}/zones/${encodeURIComponent(zoneId)}/email/routing${path}`
    const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(responseMsMax)
    const request = { method, headers, redirect: 'manual', signal, body: body ? JSON.stringify(body) : null } as const
    const response = await send(url, request)
    const envelope = parseEnvelope(response.text)
    if (response.ok && envelope?.success === true) return envelope.result ?? null
    throw refused(messagesOf(envelope) ?? [`It responded with ${response.status}.`])
  }

  return {
    catchAllRule: () => call({ method: 'GET', path: '/rules/catch_all' }),
    async routeCatchAll({ enabled }) {
      const { workerName } = requireSettings(settings, ['workerName', 'zoneId', 'apiToken'])
      const actions = [{ type: 'worker', value: [workerName] }]
      const body = { name: 'Mailhatch catch-all', enabled, actions, matchers: [{ type: 'all' }] }
      await call({ method: 'PUT', path: '/rules/catch_all', body })
    },
    dnsRecords: (name) =>
      call({ method: 'GET', path: name === null ? '/dns' : `/dns?subdomain=${encodeURIComponent(name)}` }),
    async enableDns(name) {
      await call({ method: 'POST', path: '/dns', body: name === null ? {} : { name } })
    },
  }
}

async function send(url: string, request: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
  try {
    const response = await fetch(url, request)
    return { ok: response.ok, status: response.status, text: await response.text() }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw refused([isLate ? 'It did not respond in time.' : 'It cannot be reached.'])
  }
}

type Envelope = { success?: unknown; errors?: unknown; result?: unknown }

function parseEnvelope(text: string): Envelope | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' ? parsed : null
  } catch {
    return null
  }
}

/** `errors` is a list of `{code, message}`. Null when it contains no message. */
function messagesOf(envelope: Envelope | null): string[] | null {
  if (!Array.isArray(envelope?.errors)) return null
  const messages = envelope.errors
    .map((error: unknown) => (typeof error === 'object' && error && 'message' in error ? error.message : null))
    .filter((message) => typeof message === 'string' && message !== '')
    .map((message) => String(message).slice(0, MESSAGE_CHARACTERS_MAX))
  return messages.length > 0 ? messages.slice(0, MESSAGES_MAX) : null
}

function refused(messages: string[]): AppError {
  return new AppError('provider_failed', `Cloudflare refused: ${messages.join(' ')}`, {
    details: { provider: messages },
  })
}
