import { newApiKey } from '../../src/domain/api-key.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import { newId, newSecret, secureRandom } from '../../src/random.ts'
import { doorRoutes } from '../access/door-matrix.ts'
import { OTHER_API_ROUTES, WORKER_ROUTES } from '../access/other-routes.ts'
import { PROCEDURES } from '../access/session-matrix.ts'
import { OWNER } from '../support/accounts.ts'
import { madeSecret, madeSecretsIn } from '../support/made-secrets.ts'

type Registered = { method: string; path: string }

/** Pages of the dashboard have any path. */
const PAGES: Registered[] = ['/sign-in', '/nothing'].map((path) => ({ method: 'GET', path }))
/** What an id is replaced by where the path needs another value. */
const PARAMETERS: Record<string, string> = { index: '0', localPart: 'qa' }

/** The mail catcher whose API the program has too. */
export const PEER = 'mailpit'

/** Everything that the API answers. */
const API_DOORS: Registered[] = [
  ...ROUTES.map(({ method, path }) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{(\w+)\}/g, ':$1') })),
  ...PROCEDURES.map(({ path, type }) => ({ method: type === 'mutation' ? 'POST' : 'GET', path: `/trpc/${path}` })),
  ...OTHER_API_ROUTES,
  ...doorRoutes(PEER).map(({ method, path }) => ({ method, path: `/compat/${PEER}${path}` })),
  ...PAGES,
]

/** A stream that is open for so long has been answered. */
const ANSWER_MS_MAX = 10_000

export type Doors = { url: string; workerUrl: string; key: string; adminToken: string; cookie: string }

/** Uses every route, procedure and page with secrets where they belong and where they do not. */
export async function useSecretsEverywhere({ url, workerUrl, key, adminToken, cookie }: Doors) {
  let validKey = key
  const found = { requests: 0, successes: 0 }

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
    found.requests++
    if (response.ok) found.successes++
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response.body?.cancel()
    const text = await response.text()
    madeSecretsIn(text)
    // A rotated key continues with its new value.
    if (path.startsWith('/v1/')) validKey = /\bmh_[0-9A-Za-z]{36}\b/.exec(text)?.[0] ?? validKey
  }

  const all = [
    ...API_DOORS.map((door) => ({ base: url, ...door })),
    ...WORKER_ROUTES.map((door) => ({ base: workerUrl, ...door })),
  ]
  for (const { base, method: registered, path: pattern } of all) {
    const method = registered === 'ALL' ? 'POST' : registered
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? newId(Date.now()))
    // Signing out everywhere would end the session of the rest.
    const session: Record<string, string> = /sign-out|sessions/.test(path) ? {} : { cookie, origin: url }
    await send(base, method, path, { authorization: `Bearer ${base === workerUrl ? adminToken : validKey}` })
    await send(base, method, path, { authorization: `Basic ${btoa(`user:${validKey}`)}` })
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
  return { ...found, doors: all.length }
}

function bodyWithSecrets(): string {
  const names = ['password', 'token', 'new', 'current', 'key', 'secret', 'id', 'name', 'code']
  return JSON.stringify({ email: OWNER, ...Object.fromEntries(names.map((name) => [name, madeSecret(newSecret())])) })
}

function queryWithSecrets(): string {
  const names = ['key', 'api_key', 'token', 'access_token', 'code', 'state', 'input', 'after']
  return String(new URLSearchParams(names.map((name) => [name, madeSecret(newSecret())])))
}
