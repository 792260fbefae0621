import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Principal } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { refuseRoute } from '../../domain/route-refusal.ts'
import type { Admit } from '../admit.ts'
import type { ApiEnvironment } from '../environment.ts'
import { bearerToken, secretCheck } from '../secret.ts'
import { requireNotOverloaded, type IsOverloaded } from '../shedding.ts'
import { requireScope } from '../view.ts'
import { ACCESS, scopesFor } from './access.ts'
import type { RoutePorts } from './ports.ts'
import { readGiven, readParams } from './read-request.ts'
import type { Route } from './route.ts'

type Ports = RoutePorts & { admit: Admit; isOverloaded: IsOverloaded; webhookSecret: string | null }

type Asked = Context<ApiEnvironment>

/** A path below needs a key even if it does not exist. */
const KEY_PATHS = '/v1/*'

/** Adds the routes to the app. Each request passes the same checks, in the order in which they stand in `answer`. */
export function registerRoutes(app: Hono<ApiEnvironment>, routes: Route[], ports: Ports): void {
  const requireSecret = createSecretGuard(ports.webhookSecret)

  async function answer(route: Route, context: Asked): Promise<Response> {
    if (route.method !== 'get') requireNotOverloaded(ports.isOverloaded)
    const principal = await checkCredentials(route, context)
    const given = await readGiven(ports, route, principal, context.req)
    const input = route.validate?.(ports, given)
    const scopes = scopesFor(route.access)
    if (principal && scopes) requireScope(principal, scopes)
    const params = readParams(route, context.req)
    const answered = await route.handle(ports, { ...given, input, params, principal, context })
    // The latter is made before the server replaces the global class.
    if (answered instanceof Response || answered === RESPONSE_ALREADY_SENT) return answered as Response
    return context.json(answered, successOf(route))
  }

  /** The key and its rate limit, or the webhook secret, as the route's access says. */
  async function checkCredentials({ access }: Route, context: Asked): Promise<Principal | null> {
    const { needs } = ACCESS[access]
    if (needs === 'webhook secret') requireSecret(context)
    return needs === 'key' ? findPrincipal(context) : null
  }

  async function findPrincipal(context: Asked): Promise<Principal> {
    // Before anything is read, so that what is committed meanwhile makes the answer outdated.
    context.set('version', ports.store.version())
    // Our own code may call without bindings.
    return context.env?.principal ?? ports.admit(context)
  }

  async function refuse(context: Asked, { needsKey }: { needsKey: boolean }): Promise<never> {
    if (needsKey) await findPrincipal(context)
    throw refuseRoute(app.routes, context.req.path)
  }

  // Paths that are spelled out come first: `latest` is not an id, with any method.
  const byPath = Map.groupBy(routes.toSorted(byParameters), ({ path }) => path)
  for (const [path, declared] of byPath) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
    for (const route of declared) app.on(route.method, pattern, (context) => answer(route, context))
    const needsKey = declared.some(({ access }) => scopesFor(access))
    app.all(pattern, (context) => refuse(context, { needsKey }))
  }
  app.all(KEY_PATHS, (context) => refuse(context, { needsKey: true }))
}

/** The one success that a declaration has; `answers` has its statuses in ascending order. */
function successOf({ answers }: Route): ContentfulStatusCode {
  return Number(Object.keys(answers)[0]) as ContentfulStatusCode
}

function createSecretGuard(secret: string | null): (context: Asked) => void {
  const isSecret = secret === null ? null : secretCheck(secret)
  return (context) => {
    if (isSecret === null) throw new AppError('internal', 'Webhook secret not configured')
    const token = bearerToken(context.req.header('authorization'))
    if (token === null || !isSecret(token)) throw new AppError('unauthorized', 'Unauthorized')
  }
}

function byParameters(one: Route, other: Route): number {
  return one.path.split('{').length - other.path.split('{').length
}
