import type { Env, Hono } from 'hono'
import { vi } from 'vitest'
import type { DoorPorts } from '../../src/compat/door.ts'
import type { PeerName } from '../../src/compat/peers.ts'
import type { Access } from '../../src/http/routes/access.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import type { ProcedureAccess } from '../../src/http/rpc/procedures.ts'
import type { SignedIn } from '../../src/store/accounts.ts'
import type { Team } from '../../src/store/mailboxes.ts'
import { requestOfActor } from './acts-first.ts'
import { KIND_HEADER, KIND_VALUES } from './id-probe.ts'

// What the controls change in the program. Import it before anything that loads the program.

export const faults = {
  /** A server that starts meanwhile has other procedures than were declared. */
  changesProcedures: false,
  /** What happens to requests with an id of another team: another answer, or this many microseconds more. */
  forForeignIds: 'nothing' as 'nothing' | 'other answer' | number,
  /** Any credentials are taken for those of the last permitted caller, and none are refused everywhere. */
  confusesCallers: false,
  /** Users and keys of other teams are treated as those of this one. */
  sharedTeamId: null as string | null,
}

const OTHER_PROCEDURE_ACCESS: Record<ProcedureAccess, ProcedureAccess> = {
  anyone: 'members',
  members: 'owners',
  owners: 'members',
  operator: 'owners',
}
const OTHER_ACCESS: Record<Access, Access> = {
  everyone: 'api.full',
  'webhook secret': 'everyone',
  'any scope': 'api.full',
  'api.full': 'any scope',
}

vi.mock('../../src/http/rpc/procedures.ts', async (load) => {
  const original = await load<typeof import('../../src/http/rpc/procedures.ts')>()
  const changed = (access: ProcedureAccess) =>
    original.procedure(faults.changesProcedures ? OTHER_PROCEDURE_ACCESS[access] : access)
  return { ...original, procedure: changed }
})

vi.mock('../../src/http/app.ts', async (load) => {
  const original = await load<typeof import('../../src/http/app.ts')>()
  return {
    ...original,
    createApi: (...ports: Parameters<typeof original.createApi>) => withFaults(original.createApi(...ports)),
  }
})

vi.mock('../../src/worker/worker-app.ts', async (load) => {
  const original = await load<typeof import('../../src/worker/worker-app.ts')>()
  return {
    ...original,
    createWorkerApp: (...ports: Parameters<typeof original.createWorkerApp>) =>
      withFaults(original.createWorkerApp(...ports)),
  }
})

vi.mock('../../src/worker/admin-token.ts', async (load) => {
  const original = await load<typeof import('../../src/worker/admin-token.ts')>()
  return {
    ...original,
    requireToken(token: string | null) {
      const check = original.requireToken(token)
      return (...given: Parameters<typeof check>) => (faults.confusesCallers ? given[1]() : check(...given))
    },
  }
})

vi.mock('../../src/http/admit.ts', async (load) => {
  const original = await load<typeof import('../../src/http/admit.ts')>()
  return {
    ...original,
    createAdmit: (...ports: Parameters<typeof original.createAdmit>) => orTheLast(original.createAdmit(...ports)),
  }
})

vi.mock('../../src/http/session.ts', async (load) => {
  const original = await load<typeof import('../../src/http/session.ts')>()
  const requireSession = orTheLast(original.requireSession)
  const findSession: typeof original.findSession = async (...given) =>
    inSharedTeam(await (faults.confusesCallers ? requireSession(...given) : original.findSession(...given)))
  return { ...original, requireSession, findSession }
})

vi.mock('../../src/compat/doors.ts', async (load) => {
  const original = await load<typeof import('../../src/compat/doors.ts')>()
  function openDoors(name: PeerName, ports: DoorPorts) {
    const doors = original.openDoors(name, { ...ports, keys: asOurs(ports.keys) })
    return {
      ...doors,
      besides: (api: Parameters<typeof doors.besides>[0]) => faulty(doors.besides(api)),
      fetch: faulty(doors.fetch),
    }
  }
  return { ...original, openDoors }
})

vi.mock('../../src/compat/access.ts', async (load) => {
  const original = await load<typeof import('../../src/compat/access.ts')>()
  return {
    ...original,
    withKey: (...given: Parameters<typeof original.withKey>) => orTheLast(original.withKey(...given)),
    withoutKey: (...given: Parameters<typeof original.withoutKey>) => orTheLast(original.withoutKey(...given)),
  }
})

/** Keys of other teams are treated as keys of the shared one, if one of its own was seen before. */
function asOurs(keys: DoorPorts['keys']): DoorPorts['keys'] {
  let team: Team | null = null
  const findPrincipal: typeof keys.store.findPrincipal = async (hash) => {
    const principal = await keys.store.findPrincipal(hash)
    if (principal === null || faults.sharedTeamId === null) return principal
    if (principal.team.id === faults.sharedTeamId) team = principal.team
    return team ? { ...principal, team } : principal
  }
  return { ...keys, store: { ...keys.store, findPrincipal } }
}

let shared: SignedIn | null = null

function inSharedTeam(signedIn: SignedIn | null): SignedIn | null {
  if (!signedIn?.team || faults.sharedTeamId === null) return signedIn
  if (signedIn.team.id === faults.sharedTeamId) shared = signedIn
  return shared ? { ...signedIn, team: shared.team, role: shared.role } : signedIn
}

/** Where it refuses, the result of the last caller that it let in. */
function orTheLast<Given extends unknown[], Found>(find: (...given: Given) => Promise<Found>) {
  let last: Found | null = null
  return async (...given: Given): Promise<Found> => {
    try {
      return (last = await find(...given))
    } catch (error) {
      if (faults.confusesCallers && last !== null) return last
      throw error
    }
  }
}

function withFaults<Environment extends Env>(app: Hono<Environment>): Hono<Environment> {
  app.fetch = faulty(app.fetch)
  return app
}

function faulty<Rest extends unknown[]>(fetch: (request: Request, ...rest: Rest) => Response | Promise<Response>) {
  return async (request: Request, ...rest: Rest): Promise<Response> => {
    const acting = await requestOfActor(request)
    if (acting) await (await fetch(acting, ...rest)).text()
    const has = (name: string) => request.headers.has(name)
    if (faults.confusesCallers && !has('authorization') && !has('cookie')) return refusal('unauthorized', 401)
    if (faults.forForeignIds === 'nothing' || request.headers.get(KIND_HEADER) !== KIND_VALUES.foreign)
      return fetch(request, ...rest)
    if (faults.forForeignIds === 'other answer') return refusal('forbidden', 403)
    const until = performance.now() + faults.forForeignIds / 1_000
    while (performance.now() < until);
    return fetch(request, ...rest)
  }
}

function refusal(code: string, status: number): Response {
  return Response.json({ code }, { status })
}

let ourTeam: { name: string } | null = null

/** The server keeps the changed routes; the declarations that the matrix reads are the original ones. */
export async function withOtherRoutes<Started>(start: () => Promise<Started>): Promise<Started> {
  const declared = [...ROUTES]
  ROUTES.splice(0, ROUTES.length, ...declared.map(confused))
  return start().finally(() => ROUTES.splice(0, declared.length, ...declared))
}

/** With another access, and for keys of another team with the team that was seen first. */
function confused(route: Route): Route {
  return {
    ...route,
    access: OTHER_ACCESS[route.access],
    handle(ports, request) {
      // What the checks before it pass on.
      const { principal } = request as { principal: { team: { name: string } } | null }
      if (!principal || principal.team.name !== 'Foreign') ourTeam = principal?.team ?? ourTeam
      else return route.handle(ports, { ...request, principal: { ...principal, team: ourTeam } })
      return route.handle(ports, request)
    },
  }
}

export async function withOtherProcedures<Started>(start: () => Promise<Started>): Promise<Started> {
  faults.changesProcedures = true
  return start().finally(() => (faults.changesProcedures = false))
}
