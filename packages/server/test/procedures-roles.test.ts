import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newId } from '../src/random.ts'
import type { SessionCaller } from './access/procedure-table.ts'
import { expectedFor, PROCEDURES, startSessionMatrix } from './access/session-matrix.ts'
import { callProcedure } from './support/procedure.ts'

const { url, people, ours, member, table, cellsFor, check, showing } = await startSessionMatrix()
const MUTATIONS = PROCEDURES.filter(({ type }) => type === 'mutation')
/** prove/access.prove.ts has more. */
const CALLERS: SessionCaller[] = ['owner', 'member', 'outsider', 'teamless', 'stranger']

test('the table lists exactly the existing procedures', () => {
  expect(PROCEDURES.length).toBeGreaterThan(45)
  expect(PROCEDURES.map(({ path }) => path).sort()).toEqual(Object.keys(table).sort())
})

test('docs/reference/procedures.md shows the kind of every procedure and who may call it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/procedures.md'), 'utf8')
  const documented = Array.from(page.matchAll(/^\| `([\w.]+)` \| (\w+) \| (\w+) \|/gm), ([, ...cells]) => cells)
  const actual = PROCEDURES.map(({ path, type, access }) => [path, type, access])
  expect(documented.sort()).toEqual(actual.sort())
})

test('contract: every mutation of mailboxes, keys, webhooks, settings and members is only for owners', () => {
  const guarded =
    /^(?:inbox\.(?:settings|mailboxes|messages)|apiKeys|webhooks|scenarios|billing)\.|^team\.(?:update|invite|deleteInvite|removeMember)$/
  const changing = MUTATIONS.filter(({ path }) => guarded.test(path))
  expect(changing.length).toBeGreaterThan(20)
  expect(changing.filter(({ access }) => access !== 'owners')).toEqual([])
})

describe('who may call what', () => {
  test.each(cellsFor(CALLERS))('$caller: $path', async (cell) => {
    expect(await check(cell)).toBeNull()
  })

  test('control: many procedures show our own team what others must not see', () => {
    expect(showing.size).toBeGreaterThan(15)
  })
})

test('procedures refuse ids of another team', async () => {
  const withIds = []
  for (const [path, { input }] of Object.entries(table)) {
    const names = Object.keys((await input?.()) ?? {})
    const { access } = PROCEDURES.find((one) => one.path === path)!
    const outsider = expectedFor(access, table[path]!, 'outsider')
    if (names.some((name) => /id$/i.test(name))) withIds.push({ path, outsider })
  }
  expect(withIds.length).toBeGreaterThan(15)
  expect(withIds.filter(({ outsider }) => !/not_found|forbidden/.test(outsider))).toEqual([])
})

describe('a page of another site can change nothing', () => {
  const { cookie } = ours.owner.headers

  test.each(MUTATIONS)('$path', async ({ path, type }) => {
    const headers: Record<string, string>[] = [
      { cookie, origin: 'https://evil.example' },
      { cookie },
      { cookie, origin: 'null' },
    ]
    for (const given of headers) {
      // Before the input is checked.
      const { status, code } = await callProcedure(url, { path, type, input: { nothing: 'valid' }, headers: given })
      expect({ status, code }).toEqual({ status: 403, code: 'forbidden' })
    }
  })
})

describe('checks come in this order: session, origin, input, role', () => {
  const bad = { path: 'inbox.mailboxes.create', type: 'mutation', input: { name: 'Admin' } } as const

  test('an anonymous caller is refused before origin and input are checked', async () => {
    const answer = await callProcedure(url, { ...bad, headers: { origin: 'https://evil.example' } })
    expect(answer).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  test('a member gets the error for the input before the one for the role', async () => {
    expect(await callProcedure(url, { ...bad, headers: member.headers })).toMatchObject({
      status: 400,
      code: 'mailbox_reserved',
      message: 'Mailbox name is reserved.',
    })
    const good = { ...bad, input: { name: 'orders' }, headers: member.headers }
    expect(await callProcedure(url, good)).toMatchObject({ status: 403, code: 'forbidden' })
  })
})

test('an ended session gives no access', async () => {
  const leaving = await people.person()
  expect((await leaving.call.user.me.query()).id).toBe(leaving.id)
  await people.store.removeSessions(leaving.id)
  const me = { path: 'user.me', type: 'query', headers: leaving.headers } as const
  expect(await callProcedure(url, me)).toMatchObject({ status: 401, code: 'unauthorized' })
})

test('unknown ids of any form are not found', async () => {
  for (const id of [newId(Date.now()), 'nothing', '', '../..', '0'.repeat(4_000)]) {
    const { status } = await callProcedure(url, {
      path: 'apiKeys.delete',
      type: 'mutation',
      input: { id },
      headers: ours.owner.headers,
    })
    expect({ id, status }).toEqual({ id, status: 404 })
  }
})
