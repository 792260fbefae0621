import { describe, expect, test } from 'vitest'
import { fold } from '../domain/fold.ts'
import { copyIds } from '../domain/mail-copies.ts'
import { uuidv7 } from '../domain/uuid.ts'
import { describeCaughtDomains } from './caught-domains-contract.ts'
import { describeDeletion } from './deletion-contract.ts'
import { describeMatching } from './matching-contract.ts'
import { describePreviews } from './preview-contract.ts'
import { describeMessageTags } from './message-tag-contract.ts'
import { describeReadMarks } from './read-mark-contract.ts'
import { describeRemoval } from './removal-contract.ts'
import type { Mailbox, Team } from './mailboxes.ts'
import type { NewMessage, View } from './messages.ts'
import type { Store } from './store.ts'
import { describeWebhooks } from './webhook-contract.ts'

export const NOW = Date.parse('2026-05-01T12:00:00Z')
const ALL = { oldestReceivedAt: 0, filter: {} }
let idCount = 0

export function newId(): string {
  return uuidv7(NOW + idCount++, crypto.getRandomValues(new Uint8Array(10)))
}

export async function addTeam(store: Store, values: Partial<Team> = {}): Promise<Team> {
  const id = newId()
  const team: Team = { id, name: 'Team', plan: 'enterprise', retentionDays: null, domain: `${id}.test`, ...values }
  await store.addTeam({ ...team, createdAt: NOW, isBootstrap: false }, null)
  return team
}

export async function addMailbox(store: Store, team: Team, name: string): Promise<Mailbox> {
  const mailbox = { id: newId(), teamId: team.id, name, domain: team.domain!, createdAt: NOW, updatedAt: NOW }
  expect(await store.addMailbox(mailbox, null)).toEqual(mailbox)
  return mailbox
}

export function messageFor(mailbox: Mailbox, values: Partial<NewMessage> = {}): NewMessage {
  const tag = values.tag ?? null
  const mailboxWithTag = tag === null ? mailbox.name : `${mailbox.name}+${tag}`
  const plain = {
    id: newId(),
    domain: mailbox.domain,
    objectMailbox: mailbox.name,
    tenantSubdomain: null,
    mailboxWithTag,
    tag,
    from: 'shop@shop.example',
    fromName: null,
    to: `${mailboxWithTag}@${mailbox.domain}`,
    subject: 'Hello',
    receivedAt: NOW,
    storedAt: NOW,
    size: 100,
    headers: [],
    html: null,
    text: null,
    codes: [],
    links: [],
    attachments: [],
    envelope: null,
    parse: 'complete' as const,
    ...values,
  }
  return {
    ...plain,
    subjectFolded: fold(plain.subject),
    fromFolded: fold(plain.from),
    toFolded: fold(plain.to),
    mailboxWithTagFolded: fold(plain.mailboxWithTag),
    bodyFolded: fold(plain.text ?? ''),
  }
}

/** What every store must do on every database. */
export function describeStore(
  name: string,
  open: () => Promise<Store>,
  whenIndexed: (store: Store) => Promise<void>,
): void {
  describe(name, () => {
    test('a message is returned as it was stored', async () => {
      const store = await open()
      const team = await addTeam(store)
      const mailbox = await addMailbox(store, team, 'qa')
      const message = messageFor(mailbox, {
        tag: 'login',
        subject: 'Grüße 👋',
        text: 'Your code is 482913',
        html: '<p>482913</p>',
        headers: [
          { name: 'X-Odd', value: 'a "quoted" \\ value' },
          { name: 'x-odd', value: '' },
        ],
        codes: [{ value: '482913', confidence: 0.9, context: 'Your code is 482913' }],
        links: [{ url: 'https://shop.example/', text: 'Shop', kind: 'other' }],
        attachments: [
          { index: 0, filename: 'a.pdf', contentType: 'application/pdf', size: 9, contentId: null, inline: false },
        ],
        envelope: {
          mailFrom: 'a@b.example',
          rcptTo: 'qa@in.test',
          helo: 'x',
          remoteAddress: '127.0.0.1',
          tls: true,
          receivedVia: 'smtp',
        },
        parse: 'partial',
      })
      expect(await store.addMessage(mailbox, message)).toBe(1)
      const view = { teamId: team.id, ...ALL }
      const { attachments, bodyFolded, subjectFolded, fromFolded, toFolded, mailboxWithTagFolded, ...shown } = message
      expect(await store.findMessage(view, message.id)).toEqual({
        ...shown,
        attachments,
        attachmentCount: 1,
        mailboxId: mailbox.id,
        mailbox: 'qa',
        position: 1,
      })
      expect(await store.passingMessages(team.id, { after: 0, limit: 10, withContent: true })).toMatchObject([
        {
          id: message.id,
          bodyFolded,
          subjectFolded,
          fromFolded,
          toFolded,
          mailboxWithTagFolded,
          headers: message.headers,
        },
      ])
    })

    test('the same id is stored once, also with concurrent announcements', async () => {
      const store = await open()
      const mailbox = await addMailbox(store, await addTeam(store), 'qa')
      const message = messageFor(mailbox)
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.addMessage(mailbox, message)))
      expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(9)
      expect(await store.addMessage(mailbox, message)).toBe('duplicate')
      expect(await store.newestPosition(mailbox.teamId)).toBe(1)
      expect(await store.countMessages({ teamId: mailbox.teamId, ...ALL })).toBe(1)
    })

    test('positions of a team grow by one and are independent of other teams', async () => {
      const store = await open()
      const one = await addMailbox(store, await addTeam(store), 'qa')
      const other = await addMailbox(store, await addTeam(store), 'qa')
      await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other)).map((mailbox) =>
          store.addMessage(mailbox, messageFor(mailbox)),
        ),
      )
      for (const { teamId } of [one, other]) {
        const passing = await store.passingMessages(teamId, { after: 0, limit: 100, withContent: false })
        expect(passing.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
        expect(await store.newestPosition(teamId)).toBe(20)
      }
    })

    test('a reader never sees a position before all smaller ones', async () => {
      const store = await open()
      const mailbox = await addMailbox(store, await addTeam(store), 'qa')
      const writes = Promise.all(Array.from({ length: 400 }, () => store.addMessage(mailbox, messageFor(mailbox))))
      let isWriting = true
      void writes.finally(() => {
        isWriting = false
      })
      let seen = 0
      while (isWriting || seen < 400) {
        const next = await store.passingMessages(mailbox.teamId, { after: seen, limit: 50, withContent: false })
        for (const { position } of next) expect(position).toBe(++seen)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(seen).toBe(400)
    })

    test('lists are newest first by time, then by position, and page without gaps', async () => {
      const store = await open()
      const team = await addTeam(store)
      const mailbox = await addMailbox(store, team, 'qa')
      const times = [5, 1, 5, 3, 5, 2, 4]
      for (const minutes of times) await store.addMessage(mailbox, messageFor(mailbox, { receivedAt: NOW + minutes }))
      const view = { teamId: team.id, ...ALL }
      const whole = await store.listMessages(view, { limit: 50, before: null })
      expect(whole.map(({ position }) => position)).toEqual([5, 3, 1, 7, 4, 6, 2])
      const paged = []
      let before = null
      for (;;) {
        const page = await store.listMessages(view, { limit: 2, before })
        paged.push(...page.slice(0, 2))
        if (page.length <= 2) break
        before = await store.findAnchor(view, paged.at(-1)!.id)
      }
      expect(paged).toEqual(whole)
      expect((await store.latestMessage(view, null))?.position).toBe(5)
      expect((await store.latestMessage(view, 5))?.position).toBe(7)
      expect(await store.latestMessage(view, 7)).toBeNull()
    })

    test('the messages of one mail are found by the id of any of them, and only those of the view', async () => {
      const store = await open()
      const [team, other] = [await addTeam(store), await addTeam(store)]
      const mailboxes = await Promise.all(['qa', 'dev2'].map((name) => addMailbox(store, team, name)))
      const foreign = await addMailbox(store, other, 'qa')
      const ids = copyIds(Array.from({ length: 300 }, newId))
      const [first, second, third] = [ids[0]!, ids[1]!, ids[299]!]
      await store.addMessage(mailboxes[1]!, messageFor(mailboxes[1]!, { id: second }))
      await store.addMessage(mailboxes[0]!, messageFor(mailboxes[0]!, { id: first }))
      await store.addMessage(mailboxes[0]!, messageFor(mailboxes[0]!, { id: third }))
      await store.addMessage(foreign, messageFor(foreign, { id: ids[2]! }))
      await store.addMessage(mailboxes[0]!, messageFor(mailboxes[0]!))
      const idsIn = async (view: View, id: string) => (await store.findCopies(view, id)).map((found) => found.id)
      const view = { teamId: team.id, ...ALL }
      for (const id of [first, third, ids[100]!]) expect(await idsIn(view, id)).toEqual([first, second, third])
      const ofMailbox = { ...view, filter: { mailboxId: mailboxes[0]!.id } }
      expect(await idsIn(ofMailbox, second)).toEqual([first, third])
      expect(await idsIn({ teamId: other.id, ...ALL }, first)).toEqual([ids[2]])
      expect(await idsIn(view, newId())).toEqual([])
    })

    test('which positions have a message that is visible', async () => {
      const store = await open()
      const [team, other] = [await addTeam(store), await addTeam(store)]
      const [mailbox, hidden] = [await addMailbox(store, team, 'qa'), await addMailbox(store, team, 'dev2')]
      for (const each of [mailbox, hidden, mailbox, mailbox]) await store.addMessage(each, messageFor(each))
      await store.removeMessages(team.id, [3], NOW)
      await store.hideMailbox(hidden, NOW)
      expect((await store.existingPositions(team.id, [1, 2, 3, 4, 5])).toSorted()).toEqual([1, 4])
      expect(await store.existingPositions(team.id, [2, 3])).toEqual([])
      expect(await store.existingPositions(other.id, [1, 4])).toEqual([])
    })

    test('following returns messages in order of visibility, up to a position', async () => {
      const store = await open()
      const team = await addTeam(store)
      const mailbox = await addMailbox(store, team, 'qa')
      for (const minutes of [9, 1, 5, 7])
        await store.addMessage(mailbox, messageFor(mailbox, { receivedAt: NOW + minutes }))
      const view = { teamId: team.id, ...ALL }
      const followed = await store.followMessages(view, { after: 1, upTo: 3, limit: 10 })
      expect(followed.map(({ position }) => position)).toEqual([2, 3])
      expect(await store.followMessages(view, { after: 0, upTo: 4, limit: 2 })).toHaveLength(3)
    })

    test('messages of another team, another mailbox or before the retention period are invisible', async () => {
      const store = await open()
      const team = await addTeam(store)
      const stranger = await addTeam(store)
      const mailbox = await addMailbox(store, team, 'qa')
      const neighbour = await addMailbox(store, team, 'dev2')
      const message = messageFor(mailbox)
      await store.addMessage(mailbox, message)
      await store.addMessage(neighbour, messageFor(neighbour))
      const allowed = { teamId: team.id, oldestReceivedAt: NOW, filter: { mailboxId: mailbox.id } }
      expect((await store.findMessage(allowed, message.id))?.id).toBe(message.id)
      expect(await store.listMessages(allowed, { limit: 10, before: null })).toHaveLength(1)
      for (const view of [
        { ...allowed, teamId: stranger.id },
        { ...allowed, filter: { mailboxId: neighbour.id } },
        { ...allowed, oldestReceivedAt: NOW + 1 },
      ]) {
        expect(await store.findMessage(view, message.id)).toBeNull()
        expect(await store.findAnchor(view, message.id)).toBeNull()
        expect(await store.findCopies(view, message.id)).toEqual([])
      }
      const counted = { teamId: team.id, filter: {} }
      expect(await store.countMessages({ ...counted, oldestReceivedAt: NOW + 1 })).toBe(0)
      expect(await store.countMessages({ ...counted, oldestReceivedAt: NOW })).toBe(2)
      expect(await store.countMessages(allowed)).toBe(1)
      expect(await store.countMessages({ ...allowed, oldestReceivedAt: NOW + 1 })).toBe(0)
    })

    test('a mailbox name is unique per domain and per team', async () => {
      const store = await open()
      const team = await addTeam(store, { domain: 'one.test' })
      const other = await addTeam(store, { domain: 'two.test' })
      const mailbox = await addMailbox(store, team, 'qa')
      expect(await store.addMailbox({ ...mailbox, id: newId() }, null)).toBe('taken')
      expect(await store.addMailbox({ ...mailbox, id: newId(), teamId: other.id }, null)).toBe('taken')
      expect(await store.addMailbox({ ...mailbox, id: newId(), domain: 'other.test' }, null)).toBe('taken')
      expect(await store.findMailbox({ domain: 'one.test', name: 'qa' })).toEqual(mailbox)
      expect(await store.findTeamMailbox({ teamId: team.id, name: 'qa' })).toEqual(mailbox)
      expect(await store.findTeamMailbox({ teamId: other.id, name: 'qa' })).toBeNull()
      expect(await store.findInbox({ domain: 'one.test', mailbox: 'qa' })).toEqual({
        teamId: team.id,
        mailbox,
        hasEndpoints: false,
        hasFormerHolder: false,
      })
      expect(await store.findInbox({ domain: 'two.test', mailbox: 'qa' })).toEqual({
        teamId: other.id,
        mailbox: null,
        hasEndpoints: false,
        hasFormerHolder: false,
      })
      expect(await store.findInbox({ domain: 'three.test', mailbox: 'qa' })).toBeNull()
    })

    test('keys give access to their team until they are deleted', async () => {
      const store = await open()
      const team = await addTeam(store)
      const mailbox = await addMailbox(store, team, 'qa')
      const key = {
        id: newId(),
        teamId: team.id,
        name: 'ci',
        masked: 'mh_abc…wxyz',
        scopes: ['email.mailbox' as const],
        mailboxId: mailbox.id,
        expiresAt: NOW,
        createdAt: NOW,
      }
      expect(await store.addKey({ ...key, hash: 'hash-of-the-key' }, 1)).toBe('added')
      expect(await store.addKey({ ...key, id: newId(), hash: 'hash of one too many' }, 1)).toBe('limit')
      expect(await store.findPrincipal('another hash')).toBeNull()
      expect(await store.findPrincipal('hash-of-the-key')).toEqual({
        keyId: key.id,
        keyHash: 'hash-of-the-key',
        keyName: 'ci',
        scopes: ['email.mailbox'],
        expiresAt: NOW,
        team,
        mailbox: { id: mailbox.id, name: 'qa' },
      })
      await store.recordKeyUse(new Map([[key.id, NOW + 5]]))
      expect(await store.listKeys(team.id)).toEqual([
        { ...key, mailboxName: 'qa', lastUsedAt: NOW + 5, createdBy: null },
      ])
      expect(await store.findKey({ teamId: team.id, id: key.id })).toMatchObject({
        name: 'ci',
        hash: 'hash-of-the-key',
      })
      expect(await store.findKey({ teamId: newId(), id: key.id })).toBeNull()
      expect(await store.removeKey(key.id)).toBe(true)
      expect(await store.removeKey(key.id)).toBe(false)
      expect(await store.findPrincipal('hash-of-the-key')).toBeNull()
    })

    test('a failed write is rolled back without the others of its commit', async () => {
      const store = await open()
      const mailbox = await addMailbox(store, await addTeam(store), 'qa')
      // Neither database stores it.
      const broken = { ...messageFor(mailbox), subject: null as unknown as string }
      const outcomes = await Promise.allSettled([
        store.addMessage(mailbox, messageFor(mailbox)),
        store.addMessage(mailbox, broken),
        store.addMessage(mailbox, messageFor(mailbox)),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await store.countMessages({ teamId: mailbox.teamId, ...ALL })).toBe(2)
      expect(await store.newestPosition(mailbox.teamId)).toBe(2)
    })

    describeRemoval(open)
    describeReadMarks(open)

    describeMessageTags(open)
    describeDeletion(open)
    describeCaughtDomains(open)
    describeMatching(open, whenIndexed)
    describePreviews(open)
    describeWebhooks(open)
  })
}
