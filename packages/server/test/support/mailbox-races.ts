import { describe, expect, test } from 'vitest'
import { announcement, post } from './announce.ts'
import type { startFileServer } from './file-server.ts'
import { HttpError, publishedClient } from './published-client.ts'

type Counts = {
  rounds: number
  /** One in four hundred met the moment of the bug; six senders send this many each. */
  mailsEach: number
}

/** Mailboxes that are renamed, deleted and created while mail arrives. */
export function describeMailboxRaces(
  server: Awaited<ReturnType<typeof startFileServer>>,
  { rounds, mailsEach }: Counts,
): void {
  const { url, newMailbox } = server
  const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })

  describe('while a mailbox is renamed', () => {
    test('mail that arrives has the mailboxWithTag of its mailbox', async () => {
      const { id, ...made } = await client.createMailbox(newMailbox())
      let { name } = made
      let arrived = 0
      for (let round = 1; round <= rounds; round += 1) {
        const next = newMailbox()
        const arrive = () => times(5, () => post(url, announcement({ mailbox: name, tag: 'tag' })))
        await Promise.all([arrive(), client.renameMailbox(id, next), arrive()])
        const { data } = await client.list({ mailbox: next, limit: 200 })
        // Mail after the rename is in another mailbox, so a round may find none here.
        expect(data.filter(({ mailboxWithTag }) => mailboxWithTag !== `${next}+tag`)).toEqual([])
        arrived += data.length
        await client.deleteMessages({ mailbox: next })
        name = next
      }
      expect(arrived).toBeGreaterThan(0)
    })
  })

  describe('while a mailbox is deleted', () => {
    test('mail to a domain of the team is never refused', async () => {
      const mailbox = newMailbox()
      const refusals = new Set<string>()
      let isArriving = true
      async function arrive(): Promise<void> {
        for (let round = 1; round <= mailsEach; round += 1) {
          const { status, body } = await post(url, announcement({ mailbox }))
          if (status !== 200) refusals.add(`${status} ${body.error}`)
        }
      }
      async function remove(): Promise<void> {
        while (isArriving)
          for (const { id } of await client.listMailboxes({ mailbox })) await refusalIn(client.deleteMailbox(id))
      }
      const removing = times(2, remove)
      await times(6, arrive).finally(() => (isArriving = false))
      await removing
      expect(Array.from(refusals)).toEqual([])
    })

    test('a team that creates and deletes one name many times at once is never refused', async () => {
      const name = newMailbox()
      const refusals = new Set<string | null>()
      async function takeAndLeave(): Promise<void> {
        const request = client.createMailbox(name)
        refusals.add(await refusalIn(request))
        const made = await request.catch(() => null)
        if (made) await refusalIn(client.deleteMailbox(made.id))
      }
      for (let round = 1; round <= rounds * 5; round += 1) await times(6, takeAndLeave)
      expect(Array.from(refusals)).toEqual([null])
    })
  })
}

/** The refusal of a request, or null if it succeeded. */
const refusalIn = async (request: Promise<unknown>): Promise<string | null> =>
  request.then(
    () => null,
    (error: unknown) => {
      if (error instanceof HttpError) return `${error.response.status} ${error.message}`
      throw error
    },
  )

const times = <Result>(count: number, run: () => Promise<Result>) => Promise.all(Array.from({ length: count }, run))
