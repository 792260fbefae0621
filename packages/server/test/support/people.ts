import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client'
import { afterAll, expect } from 'vitest'
import { openStore } from '../../src/program/open-store.ts'
import { readConfig } from '../../src/program/config.ts'
import type { PlanName } from '../../src/domain/plans.ts'
import type { AppRouter } from '../../src/http/rpc/router.ts'
import { startSession } from '../../src/manage/sessions.ts'
import { newId, newSecret } from '../../src/random.ts'
import type { Role } from '../../src/store/accounts.ts'
import type { Team } from '../../src/store/mailboxes.ts'
import type { Store } from '../../src/store/store.ts'
import type { WhenOver } from './file-life.ts'
import { withDatabase } from './journey-database.ts'
import { madeSecret, madeSecretsIn } from './made-secrets.ts'

/** A signed-in user, and the procedures as they call them. */
export type Person = Awaited<ReturnType<ReturnType<typeof peopleOf>['person']>>

/** `ownerOf`: the id of a team that has an owner already. */
type PersonDetails = { email?: string; name?: string; isEmailChecked?: boolean; ownerOf?: string }

/** Users with sessions on a running server, without signing up. By default for a whole file; then call it at its top level. */
export async function openPeople({ url, dataDir }: { url: string; dataDir: string }, whenOver: WhenOver = afterAll) {
  const config = readConfig('serve', await withDatabase({ DATA_DIR: dataDir }))
  const store = await openStore(config, { error: () => expect.unreachable() })
  whenOver(() => store.close())
  return { store, ...peopleOf(url, store) }
}

function peopleOf(url: string, store: Store) {
  let people = 0

  async function person(details: PersonDetails = {}) {
    people++
    const at = Date.now()
    const { email = `person-${people}@people.test`, name = '', isEmailChecked = true, ownerOf = null } = details
    const user = { id: newId(at), email, name, passwordHash: null, createdAt: at }
    const membership = { teamId: ownerOf, role: ownerOf === null ? null : ('owner' as const) }
    expect(await store.addUser({ ...user, ...membership, emailCheckedAt: isEmailChecked ? at : null })).toBe('added')
    return { id: user.id, email, ...(await signIn(user.id)) }
  }

  async function signIn(userId: string) {
    const client = { userAgent: 'Test Browser', address: '127.0.0.1' }
    const token = await startSession({ store, newId, newSecret, now: Date.now }, { id: userId }, client)
    const headers = { cookie: `mailhatch=${madeSecret(token)}`, origin: url }
    return { headers, call: callerOf(url, headers) }
  }

  /** A team of its own, with an owner. */
  async function newTeam(plan: PlanName = 'enterprise', name = `Team ${people}`) {
    const owner = await person()
    const at = Date.now()
    const team: Team = { id: newId(at), name, plan, retentionDays: null, domain: null }
    expect(await store.addTeamFor(owner.id, { ...team, createdAt: at })).toBe('added')
    return { team, owner, join: (as: Person) => join(as, team.id, owner.id) }
  }

  async function join(joining: Person, teamId: string, ownerId: string): Promise<void> {
    const at = Date.now()
    const invite = {
      id: newId(at),
      teamId,
      email: joining.email,
      invitedBy: ownerId,
      createdAt: at,
      expiresAt: at + 60_000,
    }
    expect(await store.addInvite(invite, { membersMax: null, invitesMax: 1_000 })).toBe('added')
    expect(await store.acceptInvite(invite, { userId: joining.id, membersMax: null, at })).toBe('joined')
  }

  /** The owner of the team of the first start. */
  async function operator() {
    const users = await store.listUsers()
    const bootstrap = await store.findBootstrapTeam()
    const owner = users.find(({ teamId }) => teamId === bootstrap!.id)!
    return { id: owner.id, email: owner.email, team: bootstrap!, ...(await signIn(owner.id)) }
  }

  return {
    person,
    signIn,
    newTeam,
    operator,
    role: async (userId: string): Promise<Role | null> => (await store.findUser({ id: userId }))!.role,
  }
}

export function callerOf(url: string, headers: Record<string, string>) {
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, headers, fetch: fetchShown })] })
}

/** Responses show new keys and webhook secrets. */
async function fetchShown(...given: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...given)
  madeSecretsIn(await response.clone().text())
  return response
}

/** How a call was refused: status, stable code and sentence. */
export async function refusal(call: Promise<unknown>): Promise<{ status: number; code: string; message: string }> {
  const error = await call.then(
    (answer) => expect.unreachable(`was answered with ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TRPCClientError)
  const { message, data } = error as TRPCClientError<AppRouter>
  return { status: data?.httpStatus ?? 0, code: data?.errorCode ?? '', message }
}
