import { expect, test } from 'vitest'
import type { Database } from './database.ts'
import { createSqlStore } from './sql-store.ts'
import { sql, type Sql } from './sql.ts'
import { addTeam, messageFor, newId, NOW } from './store-contract.ts'
import type { Mailbox } from './mailboxes.ts'
import type { Store } from './store.ts'

const RACERS = 100
export const ROOT = 'root.example'

export function mailboxOn(domain: string, teamId: string, name: string): Mailbox {
  return { id: newId(), teamId, name, domain, createdAt: NOW, updatedAt: NOW }
}

/** What teams share is decided once, however many want it. */
export function describeClaims(open: () => Promise<{ store: Store; database: Database }>): void {
  test(`${RACERS} teams want one name on the root domain: one gets it`, async () => {
    const { store, database } = await open()
    const teams = await addTeams(store)
    const outcomes = await race(teams, ({ id }) => store.addMailbox(mailboxOn(ROOT, id, 'shop'), null))
    const [winner, ...others] = outcomes.filter((outcome) => typeof outcome !== 'string')
    expect(others).toEqual([])
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(RACERS - 1)
    expect(await store.findMailbox({ domain: ROOT, name: 'shop' })).toEqual(winner)
    expect(await findUnusedClaims(database)).toEqual([])
  })

  test('a claim that no mailbox uses is not in the way', async () => {
    const { store, database } = await open()
    const [stranger, adding, moving] = await Promise.all([
      addTeam(store),
      addTeam(store, { domain: null }),
      addTeam(store, { domain: 'moving.example' }),
    ])
    for (const name of ['shop', 'orders']) await leaveUnusedClaim(database, stranger.id, name)
    await leaveUnusedClaim(database, moving.id, 'own')
    expect(await store.addMailbox(mailboxOn(ROOT, adding.id, 'shop'), 5)).toMatchObject({ name: 'shop' })
    for (const name of ['orders', 'own']) await store.addMailbox(mailboxOn('moving.example', moving.id, name), null)
    expect(await store.moveToDomain(moving.id, { domain: ROOT, isCustom: false, at: NOW })).toBe('moved')
    expect(await store.findMailbox({ domain: ROOT, name: 'orders' })).toMatchObject({ teamId: moving.id })
    expect(await findUnusedClaims(database)).toEqual([])
    // A claim that is used stays.
    expect(await store.addMailbox(mailboxOn(ROOT, adding.id, 'orders'), 5)).toBe('taken')
  })

  test(`${RACERS} teams want one domain: one gets it`, async () => {
    const { store } = await open()
    const teams = await addTeams(store)
    const move = { domain: 'shop.example', isCustom: true, at: NOW }
    const outcomes = await race(teams, ({ id }) => store.moveToDomain(id, move))
    expect(outcomes.filter((outcome) => outcome === 'moved')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'domain taken')).toHaveLength(RACERS - 1)
    const winner = teams[outcomes.indexOf('moved')]!
    expect(await store.findInbox({ domain: 'shop.example', mailbox: 'qa' })).toMatchObject({ teamId: winner.id })
  })

  test('a domain that changes hands leads to the mailboxes of its new team', async () => {
    const { store } = await open()
    const address = { domain: 'shop.example', mailbox: 'qa' }
    const former = await addTeam(store, { domain: address.domain })
    await store.addMailbox(mailboxOn(address.domain, former.id, address.mailbox), null)
    expect(await store.findInbox(address)).toMatchObject({ mailbox: { teamId: former.id } })
    await store.moveToDomain(former.id, { domain: 'other.example', isCustom: true, at: NOW })
    expect(await store.findInbox(address)).toBeNull()
    const holder = await addTeam(store, { domain: address.domain })
    expect(await store.findInbox(address)).toMatchObject({ teamId: holder.id, mailbox: null })
    await store.addMailbox(mailboxOn(address.domain, holder.id, address.mailbox), null)
    expect(await store.findInbox(address)).toMatchObject({ mailbox: { teamId: holder.id }, hasFormerHolder: true })
    // Without a search in between.
    await store.moveToDomain(holder.id, { domain: 'third.example', isCustom: true, at: NOW })
    const next = await addTeam(store, { domain: address.domain })
    expect(await store.findInbox(address)).toMatchObject({ teamId: next.id, mailbox: null, hasFormerHolder: true })
  })

  test('a domain that changes hands while its mailbox is searched for leads to no mailbox', async () => {
    const { store, database } = await open()
    const address = { domain: 'shop.example', mailbox: 'qa' }
    const team = await addTeam(store, { domain: address.domain })
    await store.addMailbox(mailboxOn(address.domain, team.id, address.mailbox), null)
    let lookups = 0
    const late = createSqlStore(
      {
        ...database,
        async lookup<Row>(query: Sql) {
          const rows = await database.lookup<Row>(query)
          if (lookups++ === 0) await store.moveToDomain(team.id, { domain: 'other.example', isCustom: true, at: NOW })
          return rows
        },
      },
      { onError: () => {} },
    )
    const found = await late.findInbox(address)
    expect(found).toEqual({ teamId: team.id, mailbox: null, hasEndpoints: false, hasFormerHolder: true })
    expect(await late.findInbox(address)).toBeNull()
  })

  test('many names of a domain are looked up at once, and those without a mailbox are left out', async () => {
    const { store } = await open()
    const { id: teamId, domain } = await addTeam(store, { domain: 'shop.example' })
    const names = ['qa', 'b{"a', 'removed', 'absent']
    const [qa, odd, removed] = names.slice(0, 3).map((name) => mailboxOn(domain!, teamId, name))
    for (const mailbox of [qa!, odd!, removed!]) await store.addMailbox(mailbox, null)
    await store.hideMailbox(removed!, NOW)
    const mailboxIds = new Map([
      ['qa', qa!.id],
      ['b{"a', odd!.id],
    ])
    expect(await store.findInboxes({ domain: 'shop.example', mailboxes: names })).toEqual({ teamId, mailboxIds })
    expect(await store.findInboxes({ domain: 'other.example', mailboxes: names })).toBeNull()
  })

  test(`${RACERS} keys for the last place of a team: one is added`, async () => {
    const { store } = await open()
    const team = await addTeam(store)
    const keys = Array.from({ length: RACERS }, (_, index) => keyFor(team.id, `hash ${index}`))
    const outcomes = await race(keys, (key) => store.addKey(key, 1))
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'limit')).toHaveLength(RACERS - 1)
    expect(await store.listKeys(team.id)).toHaveLength(1)
  })

  test(`${RACERS} teams want one value of a key: one gets it`, async () => {
    const { store } = await open()
    const teams = await addTeams(store)
    const outcomes = await race(teams, ({ id }) => store.addKey(keyFor(id, 'one hash')))
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(RACERS - 1)
    const winner = teams[outcomes.indexOf('added')]!
    expect(await store.findPrincipal('one hash')).toMatchObject({ team: { id: winner.id } })
    expect(await store.listKeys(null)).toMatchObject([{ teamId: winner.id }])
  })

  test.each([
    { where: 'on its own domain', domain: 'shop.example', teamDomain: 'shop.example', kind: {} },
    { where: 'that it catches', domain: 'other.example', teamDomain: undefined, kind: { isCaught: true as const } },
    { where: 'on the root domain', domain: ROOT, teamDomain: undefined, kind: {} },
  ])(`${RACERS} mails for one new address $where: one mailbox has them all`, async ({ domain, teamDomain, kind }) => {
    const { store } = await open()
    const team = await addTeam(store, { domain: 'shop.example' })
    const firsts: unknown[] = []
    const outcomes = await race(Array.from({ length: RACERS }), async () => {
      const wish: Mailbox = { ...mailboxOn(domain, team.id, 'new'), ...kind }
      const message = messageFor(wish)
      const first = await store.addFirstMessage(wish, teamDomain, message)
      firsts.push(first)
      if (first !== 'mailbox gone') return first
      return store.addMessage((await store.findTeamMailbox({ teamId: team.id, name: 'new' }))!, message)
    })
    expect(firsts.filter((first) => first !== 'mailbox gone')).toEqual([1])
    expect(outcomes.toSorted((one, other) => Number(one) - Number(other))).toEqual(
      Array.from({ length: RACERS }, (_, index) => index + 1),
    )
    expect(await store.listMailboxes(team.id)).toHaveLength(1)
  })

  test('without its mailbox, a first message is not stored', async () => {
    const { store } = await open()
    const team = await addTeam(store, { domain: 'shop.example' })
    const wish = mailboxOn('shop.example', team.id, 'new')
    expect(await store.addFirstMessage(wish, 'former.example', messageFor(wish))).toBe('mailbox gone')
    expect(await store.newestPosition(team.id)).toBe(0)
    expect(await store.listMailboxes(team.id)).toEqual([])

    const message = messageFor(wish)
    expect(await store.addFirstMessage(wish, 'shop.example', message)).toBe(1)
    const other = mailboxOn('shop.example', team.id, 'other')
    expect(await store.addFirstMessage(other, 'shop.example', message)).toBe('duplicate')
    expect(await store.newestPosition(team.id)).toBe(1)
  })
}

/** As a crash leaves one, between a claim and the release of it because the team has as many mailboxes as its plan allows. */
export async function leaveUnusedClaim(database: Database, teamId: string, name: string): Promise<void> {
  await database.write(sql`
    insert into root_names (domain, name, team_id, mailbox_id) values (${ROOT}, ${name}, ${teamId}, ${newId()})`)
}

type NamedMailbox = { domain: string; name: string; teamId: string; id: string }

/** Claims that no mailbox uses. Claiming the name again releases them. */
export async function findUnusedClaims({ read }: Database): Promise<NamedMailbox[]> {
  const claims = await read<NamedMailbox>(
    sql`select domain, name, team_id as "teamId", mailbox_id as id from root_names order by domain, name`,
  )
  const mailboxes = await read<NamedMailbox>(sql`select domain, name, team_id as "teamId", id from mailboxes`)
  const keyOf = ({ domain, name, teamId, id }: NamedMailbox) => [domain, name, teamId, id].join(' ')
  const used = new Set(mailboxes.map(keyOf))
  return claims.filter((claim) => !used.has(keyOf(claim)))
}

function addTeams(store: Store) {
  return Promise.all(Array.from({ length: RACERS }, () => addTeam(store, { domain: null })))
}

function race<Racer, Outcome>(racers: Racer[], run: (racer: Racer) => Promise<Outcome>): Promise<Outcome[]> {
  return Promise.all(racers.map(run))
}

function keyFor(teamId: string, hash: string) {
  const named = { id: newId(), teamId, name: 'ci', masked: 'mh_…', hash, mailboxId: null }
  return { ...named, scopes: ['email.full' as const], expiresAt: null, createdAt: NOW }
}
