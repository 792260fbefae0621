import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AdminStage } from './admin-contract.ts'
import { ADMIN_TOKEN, askAdmin, rawMail, type ListedMessage, type MessageList } from './admin-subject.ts'

/** Messages of a mailbox: list, detail, raw mail, deletion. */
export function describeMessages(stage: AdminStage): void {
  const path = (localPart: string, rest = '') => `${stage.worker.url}/admin/inboxes/${localPart}/messages${rest}`
  const list = async (localPart: string, query = '') => {
    const { status, body } = await askAdmin<MessageList>(path(localPart, query))
    expect(status).toBe(200)
    return body
  }
  const subjects = async (localPart: string, query = '') =>
    (await list(localPart, query)).messages.map(({ subject }) => subject)
  const deliverOne = async (to: string, localPart: string, query = ''): Promise<ListedMessage> => {
    await stage.worker.deliver(to, rawMail(`to ${to}`))
    const { messages } = await list(localPart, query)
    return messages.find(({ subject }) => subject === `to ${to}`)!
  }

  describe('messages', () => {
    const count = 205
    const newestFirst = Array.from({ length: count }, (_, index) => `mail ${count - index}`)

    beforeAll(async () => {
      for (let number = 1; number <= count; number++) {
        await nextMillisecond()
        // Half of the mail has a tag, and all has the same mailbox.
        await stage.worker.deliver(number % 2 ? 'crowd@in.test' : 'crowd+tag@in.test', rawMail(`mail ${number}`))
      }
      for (const name of ['first', 'second']) {
        await nextMillisecond()
        await stage.worker.deliver('stay-here@in.test', rawMail(name))
      }
    })

    test.each([
      ['', 50],
      ['?limit=10', 10],
      ['?limit=50', 50],
      ['?limit=200', 200],
      ['?limit=0', 1],
      ['?limit=1000', 200],
    ])('newest first, limit %s → %i', async (query, length) => {
      expect(await subjects('crowd', query)).toEqual(newestFirst.slice(0, length))
    })

    test('pages of any size have no gaps', async () => {
      for (const limit of [200, 60]) {
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await list('crowd', `?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
          seen.push(...page.messages.map(({ subject }) => subject))
          cursor = page.cursor
        } while (cursor !== undefined)
        expect(seen).toEqual(newestFirst)
      }
    })

    test.each(['crowd+tag', 'crowd%2Btag', 'CROWD', 'crowd+', '%22crowd%22'])(
      '%s reads as its mailbox',
      async (localPart) => {
        expect(await subjects(localPart, '?limit=2')).toEqual(newestFirst.slice(0, 2))
      },
    )

    test('by status and its aliases; the status is in the response if it was requested', async () => {
      expect(await subjects('stay-here', '?status=pending')).toEqual(['second', 'first'])
      expect(await list('stay-here', '?status=archived')).toEqual({ messages: [], status: 'processed' })
      await expect.poll(() => subjects('crowd', '?status=processed&limit=3')).toEqual(newestFirst.slice(0, 3))
      expect(await list('crowd', '?limit=1')).not.toHaveProperty('status')
    })

    test('by domain: a label, a full name, and EMAIL_DOMAIN by default', async () => {
      await stage.worker.deliver('where@sub.in.test', rawMail('below'))
      await stage.worker.deliver('where@in.test', rawMail('root'))
      expect(await subjects('where')).toEqual(['root'])
      for (const domain of ['sub', 'sub.in.test'])
        expect(await subjects('where', `?domain=${domain}`)).toEqual(['below'])
    })

    test('a mailbox without mail has no messages', async () => {
      expect(await list('nobody')).toEqual({ messages: [] })
    })

    test.each([
      ['a%20b', ''],
      ['a%40b', ''],
      ['%2Btag', ''],
      ['%0A', ''],
      ['x'.repeat(65), ''],
      ['qa', '?domain=no%20domain'],
      ['qa', '?limit=many'],
      ['qa', '?status=lost'],
    ])('%s%s → 400', async (localPart, query) => {
      expect((await askAdmin(path(localPart, query))).status).toBe(400)
    })

    test.each(['josé', '"two words"', '"a/b"', 'a%b', "o'neil", '{odd}', '%41'])(
      'an unusual name: %s',
      async (name) => {
        const { id, emlUrl } = await deliverOne(`${name}@in.test`, encodeURIComponent(name))
        expect((await askAdmin(path(encodeURIComponent(name), `/${id}`))).status).toBe(200)
        const raw = await fetch(emlUrl, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
        expect(await raw.text()).toBe(rawMail(`to ${name}@in.test`))
      },
    )

    test('the detail of one: its metadata, its content, and the location of its raw mail', async () => {
      const { id } = await deliverOne('stay-detail+Tag@in.test', 'stay-detail')
      const { status, body } = await askAdmin(path('stay-detail', `/${id}`))
      expect(status).toBe(200)
      expect(body).toMatchObject({
        id,
        domain: 'in.test',
        tenantSubdomain: null,
        mailbox: 'stay-detail',
        mailboxWithTag: 'stay-detail+tag',
        tag: 'tag',
        from: 'shop@shop.example',
        to: 'stay-detail+Tag@in.test',
        subject: 'to stay-detail+Tag@in.test',
        rawKey: `raw/in.test/stay-detail/${id}.eml`,
        rawContent: '',
        plainContent: 'Hello\n',
        emlUrl: expect.stringMatching(new RegExp(`^http://.*/admin/inboxes/stay-detail/messages/${id}/raw`)),
      })
      expect(body['headers']).toEqual(
        expect.arrayContaining([
          { name: 'X-Twice', value: '1' },
          { name: 'X-Twice', value: '2' },
        ]),
      )
    })

    test('the raw mail is a download, byte for byte', async () => {
      const { id, emlUrl } = await deliverOne('raw@in.test', 'raw')
      const response = await fetch(emlUrl, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('message/rfc822')
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${id}.eml"`)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('x-request-id')).not.toBeNull()
      expect(await response.text()).toBe(rawMail('to raw@in.test'))
      expect((await askAdmin(emlUrl, { token: null })).status).toBe(401)
    })

    test('deleting removes metadata and raw mail; a second time is 404', async () => {
      const { id } = await deliverOne('gone@in.test', 'gone')
      const kept = await deliverOne('gone+kept@in.test', 'gone')
      const { status } = await askAdmin(path('gone', `/${id}`), { method: 'DELETE' })
      expect(status).toBe(200)
      for (const [method, rest] of [
        ['GET', `/${id}`],
        ['GET', `/${id}/raw`],
        ['DELETE', `/${id}`],
        ['POST', `/${id}/webhook`],
      ]) {
        expect((await askAdmin(path('gone', rest), { method: method! })).status).toBe(404)
      }
      await expect.poll(() => subjects('gone', '?status=processed')).toEqual(['to gone+kept@in.test'])
      expect((await askAdmin(path('gone', `/${kept.id}`))).status).toBe(200)
    })

    test.each(['01a1dd20-3c5f-7a3e-869b-e2d14e2e7482', 'nonsense', '..%2F..', '%00', 'x'.repeat(500), '%F0%9F%98%80'])(
      'an id that is not stored: %s',
      async (id) => {
        for (const rest of ['', '/raw']) {
          const { status, body } = await askAdmin(path('crowd', `/${id}${rest}`))
          expect([status, body['error']]).toEqual([404, 'Message not found'])
        }
        expect((await askAdmin(path('crowd', `/${id}`), { method: 'DELETE' })).status).toBe(404)
      },
    )

    test('a message is found only in its own mailbox and domain', async () => {
      const { id } = await deliverOne('mine@in.test', 'mine')
      expect((await askAdmin(path('mine', `/${id.toUpperCase()}`))).status).toBe(200)
      expect((await askAdmin(path('yours', `/${id}`))).status).toBe(404)
      expect((await askAdmin(path('mine', `/${id}?domain=sub`))).status).toBe(404)
    })
  })
}

/** Mail of the same millisecond has no order. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now()
  while (Date.now() === now) await setImmediate()
}
