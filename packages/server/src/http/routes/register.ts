import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Principal } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { refuseRoute } from '../../domain/route-refusal.ts'
import type { Admit } from '../admit.ts'
import type { ApiEnvironment } from '../environment.ts'
import { bearerToken, secretCheck } from '../secret.ts'
import { requireNotOverloaded } from '../shedding.ts'
import { requireScope } from '../view.ts'
import { ACCESS, scopesFor } from './access.ts'
import type { RoutePorts } from './ports.ts'
import { readInput, readParams } from './read-request.ts'
import type { Route } from './route.ts'

type Ports = RoutePorts & { admit: Admit }

type ApiContext = Context<ApiEnvironment>

/** Paths below need a key even if they do not exist. */
const KEY_PATHS = '/v1/*'

/** Adds the routes to the app. Every request passes the same checks, in the order of `answer`. */
export function registerRoutes(app: Hono<ApiEnvironment>, routes: Route[], ports: Ports): void {
  const requireSecret = createSecretGuard(ports.inbound.webhookSecret)

  async function answer(route: Route, context: ApiContext): Promise<Response> {
    if (route.method !== 'get') requireNotOverloaded(ports.observe.isOverloaded)
    const principal = await checkCredentials(route, context)
    const given = await readInput(ports, route, principal, context.req)
    const input = route.validate?.(ports, given)
    const scopes = scopesFor(route.access)
    if (principal && scopes) requireScope(principal, scopes)
    const params = readParams(route, context.req)
    const result = await route.handle(ports, { ...given, input, params, principal, context })
    // `RESPONSE_ALREADY_SENT` is created before the server replaces the global class, so it is not an instance of it.
    if (result instanceof Response || result === RESPONSE_ALREADY_SENT) return result as Response
    return context.json(result, successOf(route))
  }

  /** Checks the key and its rate limit, or the webhook secret, depending on the access of the route. */
  async function checkCredentials({ access }: Route, context: ApiContext): Promise<Principal | null> {
    const { needs } = ACCESS[access]
    if (needs === 'webhook secret') requireSecret(context)
    return needs === 'key' ? findPrincipal(context) : null
  }

  async function findPrincipal(context: ApiContext): Promise<Principal> {
    // Internal calls may have no bindings.
    return context.env?.principal ?? ports.admit(context)
  }

  async function refuse(context: ApiContext, { needsKey }: { needsKey: boolean }): Promise<never> {
    if (needsKey) await findPrincipal(context)
    throw refuseRoute(app.routes, context.req.path)
  }

  // Paths without parameters come first: `latest` is not an id, with any method.
  const byPath = Map.groupBy(routes.toSorted(byParameters), ({ path }) => path)
  for (const [path, declared] of byPath) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
    for (const route of declared) app.on(route.method, pattern, (context) => answer(route, context))
    const needsKey = declared.some(({ access }) => scopesFor(access))
    app.all(pattern, (context) => refuse(context, { needsKey }))
  }
  app.all(KEY_PATHS, (context) => refuse(context, { needsKey: true }))
}

/** The success status of the route. The keys of `answers` are in ascending order. */
function successOf({ answers }: Route): ContentfulStatusCode {
  return Number(Object.keys(answers)[0]) as ContentfulStatusCode
}

function createSecretGuard(secret: string | null): (context: ApiContext) => void {
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
