import { z } from 'zod'
import { newApiKey } from '../../src/domain/api-key.ts'
import { scopesFor } from '../../src/http/routes/access.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import { secureRandom } from '../../src/random.ts'
import type { Answer } from '../support/ask.ts'
import { describedOperations, type Described } from '../support/documented.ts'
import { openPeople } from '../support/people.ts'
import { runForJson } from '../support/program.ts'
import { WEBHOOK_SECRET } from '../support/server.ts'
import { make, OTHER, OWN, startWalk, type Call, type KeyKind } from '../support/walk.ts'
import { actingFirstAs } from './acts-first.ts'
import { changesBetween, teamStateReader } from './team-state.ts'

type Credentials = KeyKind | 'none' | 'unknown' | 'malformed' | 'revoked' | 'secret' | 'session'

/** The caller and the mailbox that the request is about. */
export const KEY_CALLERS = {
  'no key': { by: 'none', mailbox: OWN },
  'an unknown key': { by: 'unknown', mailbox: OWN },
  'a malformed key': { by: 'malformed', mailbox: OWN },
  'a revoked key': { by: 'revoked', mailbox: OWN },
  'an expired key': { by: 'expired', mailbox: OWN },
  'the webhook secret': { by: 'secret', mailbox: OWN },
  'a session instead of a key': { by: 'session', mailbox: OWN },
  'a key of another team': { by: 'foreign', mailbox: OWN },
  'a key of the mailbox': { by: 'bound', mailbox: OWN },
  'a key of another mailbox': { by: 'bound', mailbox: OTHER },
  'a key of a deleted mailbox': { by: 'orphan', mailbox: OWN },
  'an email.full key': { by: 'emailFull', mailbox: OWN },
  'an api.full key': { by: 'full', mailbox: OWN },
} as const satisfies Record<string, { by: Credentials; mailbox: string }>

export type KeyCaller = keyof typeof KEY_CALLERS

/** `nothing` is a success that returns or changes nothing. */
type Outcome = 'success' | 'nothing' | `${number} ${string}`

export type KeyCell = { id: string; caller: KeyCaller; outcome: Outcome }

/** Every route with every caller, and what the contract says about it. */
export const KEY_CELLS: KeyCell[] = ROUTES.flatMap((route) =>
  (Object.keys(KEY_CALLERS) as KeyCaller[]).map((caller) => ({
    id: route.id,
    caller,
    outcome: expectedOutcome(caller, route),
  })),
)

/** Calls that may not change anything of our team: they are refused, or come from another team. */
export const REFUSED_CHANGES = KEY_CELLS.filter(({ id, caller, outcome }) => {
  const { method } = ROUTES.find((route) => route.id === id)!
  return method !== 'get' && (outcome !== 'success' || caller === 'a key of another team')
})

/** By the declared access of the route. */
function expectedOutcome(caller: KeyCaller, route: Route): Outcome {
  const { id, path, query } = route
  const scopes = scopesFor(route.access)
  if (route.access === 'everyone') return 'success'
  if (!scopes) return caller === 'the webhook secret' ? 'success' : '401 unauthorized'
  const isForReaders = scopes.includes('email.mailbox')
  const isAboutMailbox = path.includes('{') || 'mailbox' in (query?.shape ?? {}) || id === 'listAttempts'
  const absent: Outcome = path.startsWith('/v1/messages/') ? '404 message_not_found' : '404 not_found'
  switch (caller) {
    case 'an expired key':
      return '401 key_expired'
    case 'a key of another team':
      return path.includes('{') ? absent : outcomeInEmptyTeam(route)
    case 'a key of the mailbox':
    case 'an email.full key':
      return isForReaders ? 'success' : '403 forbidden'
    case 'a key of another mailbox':
      if (isForReaders && !isAboutMailbox) return 'success'
      return isForReaders && path.includes('{') ? absent : '403 forbidden'
    case 'a key of a deleted mailbox':
      return '403 forbidden'
    case 'an api.full key':
      return 'success'
    default:
      return '401 unauthorized'
  }
}

function outcomeInEmptyTeam({ id, answers, method, query }: Route): Outcome {
  if (id === 'latestMessage') return '404 message_not_found'
  // The address belongs to the other team.
  if (id === 'createScenario') return '404 mailbox_unknown'
  const { schema } = Object.values(answers)[0]!
  const isList = schema instanceof z.ZodObject && schema.shape['data'] instanceof z.ZodArray
  return isList || (method === 'delete' && query) ? 'nothing' : 'success'
}

/** A server with all these callers. Call it at the top level of a file. */
export async function startKeyMatrix(environment: Record<string, string> = {}) {
  const walk = await startWalk(environment)
  const { url, keys } = walk
  const { operator } = await openPeople({ url, dataDir: walk.environment.DATA_DIR })
  const owner = await operator()
  const { cookie } = owner.headers
  const readState = teamStateReader(url, { owner, member: owner, operator: owner })
  const revoked = await revokedKey()

  async function revokedKey(): Promise<string> {
    const run = <Printed>(...words: string[]) => runForJson<Printed>(['keys', ...words, '--json'], walk.environment)
    const { id, key } = await run<{ id: string; key: string }>('create', '--team', walk.team.name)
    await run('revoke', id)
    return key
  }

  async function makeAs(by: Credentials, call: Call): Promise<Answer<unknown>> {
    const withCookie = { ...call, headers: { ...call.headers, cookie } }
    const answer = await make(url, by === 'session' ? withCookie : call, valueOf(by))
    // A rotated key continues with its new value.
    const rotated = (answer.body as { data?: { key?: unknown } } | null)?.data?.key
    if (typeof rotated === 'string' && by in keys) keys[by as KeyKind] = rotated
    return answer
  }

  function valueOf(by: Credentials): string | null {
    if (by === 'none' || by === 'session') return null
    if (by === 'unknown') return newApiKey(secureRandom)
    if (by === 'malformed') return `${newApiKey(secureRandom).slice(0, -1)}!`
    if (by === 'secret') return WEBHOOK_SECRET
    return by === 'revoked' ? revoked : keys[by]
  }

  /** Makes the request of a cell, and the same with a permitted key: then a refusal was about the caller. */
  async function tryCell({ id, caller, outcome }: KeyCell): Promise<{ outcome: Outcome; permitted: Outcome }> {
    const described = operationOf(id)
    const { by, mailbox } = KEY_CALLERS[caller]
    const call = await walk.callFor(described, mailbox)
    const answer = await makeAs(by, call)
    const isLeak = by === 'foreign' && JSON.stringify(answer.body ?? null).includes(walk.team.id)
    const found = isLeak ? '200 of_another_team' : outcomeOf(described, answer)
    if (outcome === 'success' && found === 'success') return { outcome: found, permitted: found }
    const isForSecret = walk.credentialsFor(described) === WEBHOOK_SECRET
    return { outcome: found, permitted: outcomeOf(described, await makeAs(isForSecret ? 'secret' : 'full', call)) }
  }

  /** What was found instead of the declared answer. An answer that is not in the document throws. */
  async function check(cell: KeyCell): Promise<object | null> {
    const found = await tryCell(cell).catch((error: unknown) => ({ outcome: String(error), permitted: null }))
    return found.outcome === cell.outcome && found.permitted === 'success' ? null : found
  }

  /** What the request of a cell changes of our team, or null. `actsFirst`: see acts-first.ts. */
  async function changesOf({ id, caller }: KeyCell, { actsFirst = false } = {}): Promise<object | null> {
    const described = operationOf(id)
    const { by, mailbox } = KEY_CALLERS[caller]
    const call = await walk.callFor(described, mailbox)
    const isForSecret = walk.credentialsFor(described) === WEBHOOK_SECRET
    // A key of its own, because one request rotates it.
    const actor = actsFirst && !isForSecret ? await owner.call.apiKeys.create.mutate({ name: 'acting' }) : null
    const acting = actsFirst ? actingFirstAs({ authorization: `Bearer ${actor?.key ?? WEBHOOK_SECRET}` }) : {}
    const before = await readState()
    await makeAs(by, { ...call, headers: { ...call.headers, ...acting } })
    const changes = changesBetween(before, await readState())
    if (actor) await owner.call.apiKeys.delete.mutate({ id: actor.apiKey.id })
    return changes.length > 0 ? { changes } : null
  }

  return { walk, tryCell, check, changesOf }
}

function operationOf(id: string): Described {
  return describedOperations.find(({ operation }) => operation.operationId === id)!
}

function outcomeOf({ operation }: Described, { status, body }: Answer<unknown>): Outcome {
  const { code, data } = (body ?? {}) as { code?: string; data?: { length?: number; deleted?: number } }
  if (!(String(status) in operation.responses) || code !== undefined) return `${status} ${code}`
  return data?.length === 0 || data?.deleted === 0 ? 'nothing' : 'success'
}
