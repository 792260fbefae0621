import { describe, expect, test } from 'vitest'
import { changeDomain, chosenDomain, verifyDomain, type DomainPorts } from '../src/manage/custom-domain.ts'
import { announcement, post } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { openPeople, refusal } from './support/people.ts'

const server = await startFileServer()
const proving = await startFileServer({ DOMAIN_PROOF: 'txt' })
const { newTeam, store } = await openPeople(server)
const provers = await openPeople(proving)
const ROOT = 'in.mailhatch.test'

let domains = 0
const newDomain = () => `domain-${++domains}.example`

const statusOf = async (url: string, domain: string, mailbox: string) =>
  (await post(url, announcement({ domain, mailbox }))).status

describe('inbox.settings.update', () => {
  test('a saved domain works at once, and can be removed', async () => {
    const { owner } = await newTeam()
    const domain = newDomain()
    expect(await statusOf(server.url, domain, 'orders')).toBe(404)
    const saved = await owner.call.inbox.settings.update.mutate({ domain: `  ${domain.toUpperCase()} ` })
    expect(saved).toEqual({ domain, rootDomain: ROOT, proof: 'off', pending: null })
    expect(await owner.call.inbox.settings.get.query()).toEqual(saved)
    expect((await owner.call.team.current.query())!.domain).toBe(domain)
    expect(await statusOf(server.url, domain, 'orders')).toBe(200)
    await owner.call.inbox.settings.update.mutate({ domain: '' })
    expect((await owner.call.inbox.settings.get.query()).domain).toBeNull()
    expect(await statusOf(server.url, domain, 'orders')).toBe(404)
  })

  test('mailboxes and their messages move with the domain', async () => {
    const { owner } = await newTeam()
    const domain = newDomain()
    const name = `follower-${domains}`
    await owner.call.inbox.mailboxes.create.mutate({ name })
    await server.store({ mailbox: name, domain: ROOT, subject: 'before' })
    await owner.call.inbox.settings.update.mutate({ domain })
    expect(await owner.call.inbox.mailboxes.list.query()).toMatchObject([
      { name, domain, address: `${name}@${domain}` },
    ])
    await server.store({ mailbox: name, domain, subject: 'after' })
    const { messages } = await owner.call.inbox.messages.list.query({ mailbox: name })
    expect(messages.map(({ subject, to }) => [subject, to])).toEqual([
      ['after', `${name}@${domain}`],
      ['before', `${name}@${ROOT}`],
    ])
    // The name on the root domain is free for others.
    const other = await newTeam()
    expect(await other.owner.call.inbox.mailboxes.create.mutate({ name })).toMatchObject({ domain: ROOT })
    expect(await refusal(owner.call.inbox.settings.update.mutate({ domain: null }))).toEqual({
      status: 409,
      code: 'mailbox_taken',
      message: 'Mailbox name already taken on the root domain.',
    })
    // Nothing has moved.
    expect(await owner.call.inbox.mailboxes.list.query()).toMatchObject([{ name, domain }])
    expect((await owner.call.inbox.settings.get.query()).domain).toBe(domain)
  })

  test('a reserved name created by mail cannot move to the root domain', async () => {
    const { owner } = await newTeam()
    const domain = newDomain()
    await owner.call.inbox.settings.update.mutate({ domain })
    await server.store({ mailbox: 'postmaster', domain })
    expect(await refusal(owner.call.inbox.settings.update.mutate({ domain: null }))).toMatchObject({
      code: 'mailbox_reserved',
      message: 'Mailbox name is reserved.',
    })
    // It may move to another custom domain.
    const next = newDomain()
    expect(await owner.call.inbox.settings.update.mutate({ domain: next })).toMatchObject({ domain: next })
    const [mailbox] = await owner.call.inbox.mailboxes.list.query()
    await owner.call.inbox.mailboxes.remove.mutate({ id: mailbox!.id })
    expect(await owner.call.inbox.settings.update.mutate({ domain: null })).toMatchObject({ domain: null })
  })

  test.each([
    ['ab', 'Enter a valid domain name.'],
    ['a b.example', 'Enter a valid domain name.'],
    ['exämple.de', 'Enter a valid domain name.'],
    ['a_b.example', 'Enter a valid domain name.'],
    [`${'a'.repeat(252)}.com`, 'Enter a valid domain name.'],
    [ROOT, 'Root domain is reserved for shared inbox routing.'],
    [ROOT.toUpperCase(), 'Root domain is reserved for shared inbox routing.'],
  ])('%s: %s', async (domain, message) => {
    const { owner } = await newTeam()
    expect(await refusal(owner.call.inbox.settings.update.mutate({ domain }))).toEqual({
      status: 400,
      code: 'validation_failed',
      message,
    })
  })

  test('one team gets a domain, even if twenty request it at once', async () => {
    const domain = newDomain()
    const teams = await Promise.all(Array.from({ length: 20 }, () => newTeam()))
    const outcomes = await Promise.all(
      teams.map(({ owner }) => {
        const saving = owner.call.inbox.settings.update.mutate({ domain })
        return saving.then(
          () => 'saved',
          async () => (await refusal(saving)).code,
        )
      }),
    )
    expect(outcomes.filter((outcome) => outcome === 'saved')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'domain_taken')).toHaveLength(19)
    expect((await store.listTeams()).filter((team) => team.domain === domain)).toHaveLength(1)
  })
})

describe('DOMAIN_PROOF=txt', () => {
  /** A DNS server with records from the test. */
  function provingPorts(records: Map<string, string[]>): DomainPorts {
    return {
      store: provers.store,
      rootDomain: ROOT,
      domainProof: 'txt',
      resolveTxt: async (name) => records.get(name) ?? Promise.reject(new Error('ENOTFOUND')),
      newToken: () => 'a-token',
      now: Date.now,
    }
  }

  test('a domain resolves only after its record was found', async () => {
    const { team, owner } = await provers.newTeam()
    const domain = newDomain()
    const saved = await owner.call.inbox.settings.update.mutate({ domain })
    expect(saved).toMatchObject({ domain: null, proof: 'txt', pending: { domain, record: { type: 'TXT' } } })
    const { record } = saved.pending!
    expect(record.name).toBe(`_mailhatch.${domain}`)
    expect(record.value).toMatch(/^mailhatch-verify=[\w-]{40,}$/)
    // Saving again keeps the record.
    expect(await owner.call.inbox.settings.update.mutate({ domain })).toEqual(saved)
    expect(await statusOf(proving.url, domain, 'orders')).toBe(404)

    const records = new Map<string, string[]>()
    const ports = provingPorts(records)
    const unproven = { code: 'domain_unproven', message: expect.stringContaining(record.value) }
    await expect(verifyDomain(ports, team)).rejects.toMatchObject(unproven)
    records.set(record.name, ['mailhatch-verify=another', `${record.value}x`])
    await expect(verifyDomain(ports, team)).rejects.toMatchObject(unproven)
    expect(await statusOf(proving.url, domain, 'orders')).toBe(404)
    records.set(record.name, ['v=spf1 -all', record.value])
    expect(await verifyDomain(ports, team)).toEqual({ domain, pending: null })
    expect(await statusOf(proving.url, domain, 'orders')).toBe(200)
    expect(await owner.call.inbox.settings.get.query()).toMatchObject({ domain, pending: null })
  })

  test('the server queries DNS itself, and names the missing record', async () => {
    const { owner } = await provers.newTeam()
    // Names below this one cannot be registered (RFC 6761).
    const { pending } = await owner.call.inbox.settings.update.mutate({ domain: 'nobody.invalid' })
    expect(await refusal(owner.call.inbox.settings.verify.mutate())).toEqual({
      status: 409,
      code: 'domain_unproven',
      message: `There is no TXT record _mailhatch.nobody.invalid with the value ${pending!.record.value} yet.`,
    })
  })

  test('the first team with a proof gets the domain; a proof that waited too long is worthless', async () => {
    const domain = newDomain()
    const [first, second] = [await provers.newTeam(), await provers.newTeam()]
    const records = new Map<string, string[]>([[`_mailhatch.${domain}`, ['mailhatch-verify=a-token']]])
    const ports = provingPorts(records)
    await changeDomain(ports, first.team, domain)
    await changeDomain(ports, second.team, domain)
    expect(await verifyDomain(ports, second.team)).toMatchObject({ domain })
    await expect(verifyDomain(ports, first.team)).rejects.toMatchObject({ code: 'domain_taken' })
    await expect(changeDomain(ports, first.team, domain)).rejects.toMatchObject({ code: 'domain_taken' })
    // Removing a domain needs no proof, and cancels a pending one.
    expect(await changeDomain(ports, first.team, null)).toEqual({ domain: null, pending: null })
    expect(await provers.store.findPendingDomain(first.team.id)).toBeNull()
  })

  test('the root domain and invalid domains never wait for a proof', () => {
    expect(() => chosenDomain({ rootDomain: ROOT }, ROOT)).toThrow('Root domain is reserved for shared inbox routing.')
    expect(chosenDomain({ rootDomain: ROOT }, ' ')).toBeNull()
  })
})
