import { expect } from 'vitest'
import { scopesFor } from '../../src/http/routes/access.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import { describedOperations } from '../support/documented.ts'
import { FUZZ_PROCEDURES } from '../support/fuzz-routes.ts'
import { make } from '../support/walk.ts'
import { namesIds, type IdRequest } from './id-probe.ts'
import type { startKeyMatrix } from './key-matrix.ts'
import type { startOtherMatrix } from './other-matrix.ts'
import { expectedFor, PROCEDURES, type startSessionMatrix } from './session-matrix.ts'

type Matrix<Start extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Start>>

/** Query parameters and names of inputs that are ids. `lastEventId` is a cursor. */
const NAME_OF_ID = /^(?:ids?|(?!lastEvent)\w*(?:Id|_id))$/

const ROUTES_WITH_IDS = ROUTES.filter(({ access, path }) => scopesFor(access) && path.includes('{')).map(({ id }) => id)

/** Routes with an id in their path, and pages that start at an id, called by a key of another team. */
export async function keyRequests({ walk }: Matrix<typeof startKeyMatrix>): Promise<IdRequest[]> {
  const authorization = `Bearer ${walk.keys.foreign}`
  const requests: IdRequest[] = []
  for (const described of describedOperations) {
    const { operationId: name } = described.operation
    if (!ROUTES_WITH_IDS.includes(name)) continue
    const { method, path, body, headers = {} } = await walk.callFor(described)
    const request = { name, method, path, headers: { ...headers, authorization } }
    requests.push(body === undefined ? request : { ...request, body })
  }
  for (const { path, operation, method } of describedOperations) {
    for (const { name } of operation.parameters.filter((one) => one.in === 'query' && NAME_OF_ID.test(one.name))) {
      const page = await make(walk.url, { method: 'GET', path }, walk.keys.full)
      // Every list has a row.
      const { id } = (page.body as { data: { id: string }[] }).data[0]!
      const asked = { method: method.toUpperCase(), path: `${path}?${name}=${id}`, headers: { authorization } }
      requests.push({ ...asked, name: `${operation.operationId} ${name}` })
    }
  }
  expect(requests.every(({ path }) => namesIds(path))).toBe(true)
  return requests
}

/** Procedures whose input has an id, called by the owner of another team. */
export async function sessionRequests({ table, theirs }: Matrix<typeof startSessionMatrix>): Promise<IdRequest[]> {
  const requests: IdRequest[] = []
  for (const { path, type, access } of PROCEDURES) {
    const given = (await table[path]!.input?.()) ?? {}
    const input = JSON.stringify(given)
    const { names } = FUZZ_PROCEDURES.find((one) => one.path === path)!
    const ids = names.filter((name) => NAME_OF_ID.test(name))
    expect(Object.keys(given), `ids that the table does not give to ${path}`).toEqual(expect.arrayContaining(ids))
    if (!namesIds(input) || expectedFor(access, table[path]!, 'outsider') === 'forbidden') continue
    const headers = { ...theirs.owner.headers, 'content-type': 'application/json' }
    if (type === 'mutation') requests.push({ name: path, method: 'POST', path: `/trpc/${path}`, headers, body: input })
    else requests.push({ name: path, method: 'GET', path: `/trpc/${path}?input=${encodeURIComponent(input)}`, headers })
  }
  return requests
}

/** Downloads of the dashboard and sessions of other users, asked for by the owner of another team. */
export async function otherRequests({ tables, headersOf }: Matrix<typeof startOtherMatrix>): Promise<IdRequest[]> {
  const headers = await headersOf('an owner of another team')
  const requests: IdRequest[] = []
  for (const [name, { access, call }] of Object.entries(tables.API)) {
    if (!['user', 'member'].includes(access)) continue
    const { path = '' } = (await call?.()) ?? {}
    if (namesIds(path)) requests.push({ name, method: name.split(' ')[0]!, path, headers })
  }
  expect(requests.length).toBeGreaterThan(2)
  return requests
}
