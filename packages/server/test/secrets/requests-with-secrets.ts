import { newApiKey } from '../../src/domain/api-key.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import { newId, newSecret, secureRandom } from '../../src/random.ts'
import { PROCEDURES } from '../access/session-matrix.ts'
import { OWNER } from '../support/accounts.ts'
import { madeSecret, madeSecretsIn } from '../support/made-secrets.ts'

/** What is not in the list of routes. */
const OTHER_PATHS = [
  ...[
    'sign-in',
    'sign-up',
    'link',
    'sign-out',
    'password',
    'reset/request',
    'reset',
    'check',
    'sign-out-everywhere',
  ].map((name) => `POST /auth/${name}`),
  ...['methods', 'sessions', 'oidc/start', 'oidc/callback'].map((name) => `GET /auth/${name}`),
  'DELETE /auth/sessions/{id}',
  'GET /app/messages/{id}/raw',
  'GET /app/others/{id}/raw',
  'GET /view/{id}',
  'POST /billing/webhook',
  'POST /mcp',
  'GET /metrics',
  'GET /sign-in',
  'GET /nothing',
]
/** Of the worker. */
const ADMIN_PATHS = ['GET /admin/inboxes', 'GET /admin/set-aside', 'POST /admin/webhook/retry', 'GET /admin/catch-all']

/** A stream that is open for so long has been answered. */
const ANSWER_MS_MAX = 10_000

export type Doors = { url: string; workerUrl: string; key: string; adminToken: string; cookie: string }

/** Uses every route, procedure and page with secrets where they belong and where they do not. Resolves to the number of requests. */
export async function useSecretsEverywhere({ url, workerUrl, key, adminToken, cookie }: Doors): Promise<number> {
  let validKey = key
  let sent = 0

  async function send(base: string, method: string, path: string, headers: Record<string, string>): Promise<void> {
    const takesBody = method === 'POST' || method === 'PATCH'
    const init = takesBody
      ? { body: bodyWithSecrets(), headers: { 'content-type': 'application/json', ...headers } }
      : { headers }
    const response = await fetch(base + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      ...init,
    })
    sent++
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response.body?.cancel()
    const text = await response.text()
    madeSecretsIn(text)
    // A rotated key continues with its new value.
    if (path.startsWith('/v1/')) validKey = /\bmh_[0-9A-Za-z]{36}\b/.exec(text)?.[0] ?? validKey
  }

  const routes = ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const procedures = PROCEDURES.map(({ path, type }) => `${type === 'mutation' ? 'POST' : 'GET'} /trpc/${path}`)
  const all = [
    ...[...routes, ...procedures, ...OTHER_PATHS].map((door) => [url, door]),
    ...ADMIN_PATHS.map((door) => [workerUrl, door]),
  ]
  for (const [base, door] of all as [string, string][]) {
    const [method = '', pattern = ''] = door.split(' ')
    const path = pattern.replaceAll(/\{\w+\}/g, () => newId(Date.now()))
    // Signing out everywhere would end the session of the rest.
    const session: Record<string, string> = /sign-out|sessions/.test(path) ? {} : { cookie, origin: url }
    await send(base, method, path, { authorization: `Bearer ${base === workerUrl ? adminToken : validKey}` })
    await send(base, method, path, session)
    await send(base, method, path, { authorization: `Bearer ${madeSecret(newApiKey(secureRandom))}` })
    await send(base, method, path, { authorization: `Bearer ${madeSecret(newSecret())} ${madeSecret(newSecret())}` })
    await send(base, method, path, { authorization: `Basic ${btoa(`user:${madeSecret(newSecret())}`)}` })
    await send(base, method, path, {
      'x-api-key': madeSecret(newSecret()),
      cookie: `mailhatch=${madeSecret(newSecret())}`,
      origin: url,
    })
    await send(base, method, `${path}?${queryWithSecrets()}`, session)
    await send(base, method, `${path}/${madeSecret(newSecret())}`, session)
  }
  return sent
}

function bodyWithSecrets(): string {
  const names = ['password', 'token', 'new', 'current', 'key', 'secret', 'id', 'name', 'code']
  return JSON.stringify({ email: OWNER, ...Object.fromEntries(names.map((name) => [name, madeSecret(newSecret())])) })
}

function queryWithSecrets(): string {
  const names = ['key', 'api_key', 'token', 'access_token', 'code', 'state', 'input', 'after']
  return String(new URLSearchParams(names.map((name) => [name, madeSecret(newSecret())])))
}
