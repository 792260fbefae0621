import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { newApiKey } from '../src/domain/api-key.ts'
import { scopesFor } from '../src/http/routes/access.ts'
import type { Route } from '../src/http/routes/route.ts'
import { ROUTES } from '../src/http/routes/routes.ts'
import { secureRandom } from '../src/random.ts'
import type { Answer } from './support/ask.ts'
import { describedOperations, type Described } from './support/documented.ts'
import { make, OTHER, OWN, startWalk, type Call, type KeyKind } from './support/walk.ts'

const walk = await startWalk()
const { url, keys } = walk

/** The caller and the mailbox. */
const CALLERS: Record<string, { key: KeyKind | 'unknown' | null; mailbox: string }> = {
  'no key': { key: null, mailbox: OWN },
  'an unknown key': { key: 'unknown', mailbox: OWN },
  'an expired key': { key: 'expired', mailbox: OWN },
  'a key of another team': { key: 'foreign', mailbox: OWN },
  'a key of the mailbox': { key: 'bound', mailbox: OWN },
  'a key of another mailbox': { key: 'bound', mailbox: OTHER },
  'a key of a deleted mailbox': { key: 'orphan', mailbox: OWN },
  'an email.full key': { key: 'emailFull', mailbox: OWN },
  'an api.full key': { key: 'full', mailbox: OWN },
}

/** `nothing` is a success that returns or changes nothing. */
type Outcome = 'success' | 'nothing' | `${number} ${string}`

/** What the contract says for each caller, by the declared access of the route. */
function expectedOutcome(caller: string, route: Route): Outcome {
  const { path, query } = route
  const isForReaders = scopesFor(route.access)!.includes('email.mailbox')
  const isAboutMailbox = path.includes('{') || 'mailbox' in (query?.shape ?? {})
  const absent: Outcome = path.startsWith('/v1/messages/') ? '404 message_not_found' : '404 not_found'
  switch (caller) {
    case 'no key':
    case 'an unknown key':
      return '401 unauthorized'
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
    default:
      return 'success'
  }
}

function outcomeInEmptyTeam({ id, answers, method, query }: Route): Outcome {
  if (id === 'latestMessage') return '404 message_not_found'
  const { schema } = Object.values(answers)[0]!
  const isList = schema instanceof z.ZodObject && schema.shape['data'] instanceof z.ZodArray
  return isList || (method === 'delete' && query) ? 'nothing' : 'success'
}

function outcomeOf({ operation }: Described, { status, body }: Answer<unknown>): Outcome {
  const { code, data } = (body ?? {}) as { code?: string; data?: { length?: number; deleted?: number } }
  if (!(String(status) in operation.responses) || code !== undefined) return `${status} ${code}`
  return data?.length === 0 || data?.deleted === 0 ? 'nothing' : 'success'
}

const WITH_KEY = ROUTES.filter(({ access }) => scopesFor(access))
const ROWS = WITH_KEY.flatMap((route) =>
  Object.keys(CALLERS).map((caller) => ({
    caller,
    described: describedOperations.find(({ operation }) => operation.operationId === route.id)!,
    id: route.id,
    outcome: expectedOutcome(caller, route),
  })),
)

describe('every operation with a key, with every kind of key', () => {
  test('control: such operations exist, and all below /v1 are among them', () => {
    expect(WITH_KEY.length).toBeGreaterThan(12)
    expect(ROUTES.filter(({ path }) => path.startsWith('/v1'))).toEqual(WITH_KEY)
  })

  test('the document names the scopes that the routes declare', () => {
    for (const { operation } of describedOperations) {
      const { access } = ROUTES.find(({ id }) => id === operation.operationId)!
      expect(operation.security.flatMap(({ apiKey = [] }) => apiKey)).toEqual(scopesFor(access) ?? [])
    }
  })

  test.each(ROWS)('$id with $caller: $outcome', async ({ caller, described, outcome }) => {
    const { key, mailbox } = CALLERS[caller]!
    const call = await walk.callFor(described, mailbox)
    const answer = await makeWith(key, call)
    expect(outcomeOf(described, answer)).toBe(outcome)
    expect(key === 'foreign' ? JSON.stringify(answer.body) : '').not.toContain(walk.team.id)
    // The same request with a permitted key: the refusal was about the key and changed nothing.
    const control = outcome === 'success' ? answer : await makeWith('full', call)
    expect(outcomeOf(described, control)).toBe('success')
  })
})

async function makeWith(key: KeyKind | 'unknown' | null, call: Call): Promise<Answer<unknown>> {
  const value = key === 'unknown' ? newApiKey(secureRandom) : key && keys[key]
  const answer = await make(url, call, value)
  // A rotated key continues with its new value.
  const rotated = (answer.body as { data?: { key?: unknown } } | null)?.data?.key
  if (typeof rotated === 'string' && key !== null && key !== 'unknown') keys[key] = rotated
  return answer
}
