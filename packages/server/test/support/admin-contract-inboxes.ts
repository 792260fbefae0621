import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { AdminStage } from './admin-contract.ts'
import { askAdmin, rawMail, type MailboxList, type MessageList } from './admin-subject.ts'

/** `GET /admin/inboxes`: the list of mailboxes. */
export function describeInboxes(stage: AdminStage): void {
  const list = async (query = '') => {
    const { status, body } = await askAdmin<MailboxList>(`${stage.worker.url}/admin/inboxes${query}`)
    expect(status).toBe(200)
    return body
  }
  const inboxesOf = async (domain: string, query = '') => (await list(`?domain=${domain}${query}`)).mailboxes

  describe('mailboxes', () => {
    const names = Array.from({ length: 205 }, (_, index) => `box${1000 + index}`)

    beforeAll(async () => {
      const { deliver } = stage.worker
      for (const name of names) await deliver(`${name}@many.in.test`, rawMail('Hello'))
      await deliver('stay-a@team.in.test', rawMail('waits'))
      await deliver('done-b@team.in.test', rawMail('is announced'))
      await deliver('Done-B+tag@TEAM.in.test', rawMail('is announced'))
      await deliver('done-c@other.example', rawMail('is announced'))
      const processed = async (localPart: string, domain: string) => {
        const path = `/admin/inboxes/${localPart}/messages?domain=${domain}&status=processed`
        return (await askAdmin<MessageList>(`${stage.worker.url}${path}`)).body.messages.length
      }
      await vi.waitFor(
        async () => {
          expect(await processed('done-b', 'team')).toBe(2)
          expect(await processed('done-c', 'other.example')).toBe(1)
          expect(await processed(names.at(-1)!, 'many')).toBe(1)
        },
        { timeout: 30_000 },
      )
    })

    test.each(['team', 'TEAM', 'team.in.test', 'Team.In.Test', 'team.in.test.'])(
      'of a domain, as a label or a full name: %s',
      async (domain) => {
        expect(await inboxesOf(domain)).toEqual(['team.in.test/done-b', 'team.in.test/stay-a'])
      },
    )

    test('are of all domains by default', async () => {
      const all: string[] = []
      let cursor: string | undefined
      do {
        const page = await list(`?limit=200${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
        all.push(...page.mailboxes)
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(all).toEqual(all.toSorted())
      expect(all).toEqual(Array.from(new Set(all)))
      expect(all).toEqual(
        expect.arrayContaining(['many.in.test/box1000', 'other.example/done-c', 'team.in.test/stay-a']),
      )
    })

    test.each([
      ['unprocessed', 'unprocessed', ['team.in.test/stay-a']],
      ['pending', 'unprocessed', ['team.in.test/stay-a']],
      ['processed', 'processed', ['team.in.test/done-b']],
      ['archived', 'processed', ['team.in.test/done-b']],
    ])('status=%s', async (given, status, mailboxes) => {
      expect(await list(`?domain=team&status=${given}`)).toEqual({ mailboxes, status })
    })

    test('without a status, both are listed, each mailbox once', async () => {
      expect(await list('?domain=team')).toEqual({
        mailboxes: ['team.in.test/done-b', 'team.in.test/stay-a'],
        status: null,
      })
    })

    test.each([
      ['', 50],
      ['&limit=10', 10],
      ['&limit=50', 50],
      ['&limit=200', 200],
      ['&limit=1', 1],
      ['&limit=0', 1],
      ['&limit=-7', 1],
      ['&limit=201', 200],
      ['&limit=99999999999999999999', 200],
      ['&limit=', 50],
    ])('limit%s → %i', async (query, count) => {
      expect(await inboxesOf('many', query)).toEqual(names.slice(0, count).map((name) => `many.in.test/${name}`))
    })

    test('pages have no gaps', async () => {
      const first = await list('?domain=many&limit=200')
      const second = await list(`?domain=many&limit=200&cursor=${encodeURIComponent(first.cursor!)}`)
      expect(second).toEqual({ mailboxes: names.slice(200).map((name) => `many.in.test/${name}`), status: null })
    })

    test('a domain without mail has no mailboxes', async () => {
      expect(await list('?domain=nobody.example')).toEqual({ mailboxes: [], status: null })
    })

    test.each([
      ['limit=ten', 'limit'],
      ['limit=1.5', 'limit'],
      ['status=gone', 'status'],
      ['status=__proto__', 'status'],
      ['domain=not%20a%20domain', 'domain'],
      ['domain=a..b', 'domain'],
      ['cursor=nonsense', 'cursor'],
      ['domain=team&cursor=many.in.test%2Fbox1000', 'cursor'],
    ])('?%s → 400', async (query, field) => {
      const { status, body } = await askAdmin(`${stage.worker.url}/admin/inboxes?${query}`)
      expect([status, body['code']]).toEqual([400, 'validation_failed'])
      expect(body['details']).toHaveProperty(field)
    })
  })
}
