import { describe, expect, onTestFinished, test } from 'vitest'
import { boundDatabase } from '../../test/support/bound-database.ts'
import { idInGroup, newGroupId, type AttemptReport } from '../domain/attempt.ts'
import { uuidv7 } from '../domain/uuid.ts'
import type { AttemptView, NewAttempt } from './attempts.ts'
import type { Database } from './database.ts'
import { attemptStore } from './sql-attempts.ts'
import { createSqlStore } from './sql-store.ts'
import { addTeam, NOW } from './store-contract.ts'

const KEPT_MAX = 5
const PER_REMOVAL = 3
const ALL = { since: 0, address: null, mailboxId: null }
const PAGE = { before: null, limit: 10 }

/** A group that is reported at this time. */
const groupAt = (at: number) => newGroupId(uuidv7(at, crypto.getRandomValues(new Uint8Array(10))))

function reportOf(id: string, startedAt: number): AttemptReport {
  return {
    id,
    to: 'qa+1@in.example',
    from: 'app@shop.example',
    startedAt,
    endedAt: startedAt + 5,
    outcome: 'refused',
    stage: 'rcpt',
    replies: [{ stage: 'rcpt', code: 451, text: '4.3.0 It\'s "not" now: ä€\u{1f600}\\' }],
    size: 0,
    tls: 'TLSv1.3',
    authenticated: true,
    helo: 'shop.example',
    remoteAddress: null,
    connection: 'c1',
    messageId: null,
  }
}

/** One attempt for each of these changes of a usual one. */
function attemptsIn(group: string, at: number, changes: Partial<NewAttempt>[]): NewAttempt[] {
  return changes.map((change, index) => ({
    mailboxId: 'm1',
    mailbox: 'qa',
    tag: '1',
    domain: 'in.example',
    report: reportOf(idInGroup(group, index), at + index),
    ...change,
  }))
}

export function describeAttempts(open: () => Promise<Database>): void {
  async function start({ keptMax = KEPT_MAX } = {}) {
    const database = boundDatabase(await open())
    const teams = createSqlStore(database, {
      onError(error) {
        throw error
      },
    })
    onTestFinished(() => teams.close())
    const store = attemptStore(database, { keptMax, perRemoval: PER_REMOVAL })
    const [team, other] = [await addTeam(teams), await addTeam(teams)]
    const list = async (view: Partial<AttemptView>) =>
      (await store.listSmtpAttempts({ teamId: team.id, ...ALL, ...view }, PAGE)).map(({ startedAt }) => startedAt - NOW)
    /** Stores a group of attempts that began at `NOW + after` and the milliseconds after it. */
    async function add(teamId: string, after: number, changes: Partial<NewAttempt>[] = [{}]) {
      const group = groupAt(NOW + after)
      const attempts = attemptsIn(group, NOW + after, changes)
      await store.addSmtpAttempts(teamId, group, attempts)
      return { group, attempts }
    }
    return { teams, store, team, other, list, add }
  }

  describe('attempts', () => {
    test('are read as they were reported, once, by their team only, newest first', async () => {
      const { store, team, other, list, add } = await start()
      const { group, attempts } = await add(team.id, 0, [{ tag: null, mailboxId: null }, {}])
      await store.addSmtpAttempts(team.id, group, attempts)
      await add(other.id, 2)
      const reports = attempts.map(({ report }) => report)
      expect(await store.listSmtpAttempts({ teamId: team.id, ...ALL }, PAGE)).toEqual(reports.toReversed())
      expect(await list({ teamId: other.id })).toEqual([2])
      await add('a team that does not exist', 0)
      expect(await list({ teamId: 'a team that does not exist' })).toEqual([])
    })

    test('are found by mailbox, tag, domain, key and time, and in pages', async () => {
      const { store, team, list, add } = await start()
      await add(team.id, 0, [{}, { tag: '2' }])
      await add(team.id, 2, [
        { mailbox: 'other', mailboxId: 'm2' },
        { domain: 'elsewhere.example', mailboxId: null },
      ])
      await add(team.id, 4, [{ tag: null }])
      const qa = { mailbox: 'qa', tag: null, domain: null }
      expect(await list({ address: qa })).toEqual([4, 3, 1, 0])
      expect(await list({ address: { ...qa, tag: '1' } })).toEqual([3, 0])
      expect(await list({ address: { ...qa, tag: '' } })).toEqual([4])
      expect(await list({ address: { ...qa, tag: '1', domain: 'in.example' } })).toEqual([0])
      expect(await list({ address: { ...qa, mailbox: 'q' } })).toEqual([])
      expect(await list({ address: qa, mailboxId: 'm1' })).toEqual([4, 1, 0])
      expect(await list({ mailboxId: 'm2' })).toEqual([2])
      expect(await list({ since: NOW + 2 })).toEqual([4, 3, 2])
      const read: number[] = []
      for (let before: string | null = null; ;) {
        const page: AttemptReport[] = await store.listSmtpAttempts({ teamId: team.id, ...ALL }, { before, limit: 2 })
        read.push(...page.slice(0, 2).map(({ startedAt }) => startedAt - NOW))
        if (page.length <= 2) break
        before = page[1]!.id
      }
      expect(read).toEqual([4, 3, 2, 1, 0])
    })

    test('one address is found among many groups', async () => {
      const { team, list, add } = await start({ keptMax: 1_000 })
      for (let count = 0; count < 40; count++) await add(team.id, count, [{ tag: count % 13 === 0 ? 'rare' : '1' }])
      expect(await list({ address: { mailbox: 'qa', tag: 'rare', domain: null } })).toEqual([39, 26, 13, 0])
      expect((await list({})).slice(0, 11)).toEqual([39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29])
    })

    test('small neighbours are merged, and read as before', async () => {
      const { store, team, other, list, add } = await start({ keptMax: 1_000 })
      const many = Array.from({ length: 97 }, (_, index) => ({ tag: `m${index}` }))
      for (let count = 0; count < 6; count++) await add(team.id, count, [{ tag: count === 2 ? 'rare' : '1' }])
      await add(team.id, 1_000, many)
      for (let count = 0; count < 9; count++) await add(team.id, 2_000 + count, [{ tag: null }])
      await add(other.id, 0)
      const view = { teamId: team.id, ...ALL }
      const before = await store.listSmtpAttempts(view, { before: null, limit: 200 })
      await store.mergeSmtpAttempts(team.id, { before: NOW + 5_000, limit: 1_000 })
      expect(await store.listSmtpAttempts(view, { before: null, limit: 200 })).toEqual(before)
      expect(await list({ address: { mailbox: 'qa', tag: 'rare', domain: null } })).toEqual([2])
      expect(await list({ teamId: other.id })).toEqual([0])
      // The rows of these begin before that time.
      expect(await list({ since: NOW + 2_007 })).toEqual([2_008, 2_007])
      const rest = await store.listSmtpAttempts(view, { before: before[104]!.id, limit: 3 })
      expect(rest).toEqual(before.slice(105, 109))
      // The first six and the last six are one row each. Three more fit to the large group, which is not worth a write.
      expect(await store.removeOldSmtpAttempts(team.id, { before: NOW + 10_000, limit: 100 })).toBe(6)
    })

    test('only the newest of a team are kept', async () => {
      const { team, other, list, add } = await start()
      await add(other.id, -1)
      for (let count = 0; count < 12; count += 2) await add(team.id, count, [{}, {}])
      // Whole groups, without the one that exceeds five.
      expect(await list({})).toEqual([11, 10, 9, 8])
      expect(await list({ teamId: other.id })).toEqual([-1])
    })

    test('old ones are removed a few at a time', async () => {
      const { store, team, other, list, add } = await start()
      for (const { id } of [team, other]) for (const after of [0, 1, 2, 3]) await add(id, after)
      const page = { before: NOW + 3, limit: 2 }
      expect(await store.removeOldSmtpAttempts(team.id, page)).toBe(2)
      expect(await store.removeOldSmtpAttempts(team.id, page)).toBe(1)
      expect(await store.removeOldSmtpAttempts(team.id, page)).toBe(0)
      expect(await list({})).toEqual([3])
      expect(await list({ teamId: other.id })).toEqual([3, 2, 1, 0])
    })

    test('go with their team', async () => {
      const { teams, team, other, list, add } = await start()
      for (const { id } of [team, other]) await add(id, 0)
      await teams.closeTeam(team.id, NOW)
      expect(await teams.dropTeam(team.id)).toBe(true)
      expect(await list({})).toEqual([])
      expect(await list({ teamId: other.id })).toEqual([0])
    })
  })
}
