import { expect, test } from 'vitest'
import { PREVIEW_SOURCE_MAX } from '../domain/preview.ts'
import { addMailbox, addTeam, messageFor, newId } from './store-contract.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')

/** More than one read. */
const MESSAGES = 20

export function describePreviews(open: () => Promise<Store>): void {
  test('the beginnings of bodies are read by id, of one team and not of what has expired or was deleted', async () => {
    const store = await open()
    const [team, other] = [await addTeam(store), await addTeam(store)]
    const [mailbox, foreign] = [await addMailbox(store, team, 'qa'), await addMailbox(store, other, 'qa')]
    const code = { value: '482913', confidence: 0.9, context: 'Your code is 482913' }
    const many = Array.from({ length: MESSAGES }, (_, index) => messageFor(mailbox, { text: `Text ${index}` }))
    const long = messageFor(mailbox, { text: 'ä'.repeat(PREVIEW_SOURCE_MAX.text + 1), html: '<p>', codes: [code] })
    const html = messageFor(mailbox, { html: `<p>${'x'.repeat(PREVIEW_SOURCE_MAX.html)}` })
    const expired = messageFor(mailbox, { receivedAt: NOW - 1 })
    const gone = messageFor(mailbox)
    for (const message of [...many, long, html, expired, gone]) await store.addMessage(mailbox, message)
    const unseen = messageFor(foreign)
    await store.addMessage(foreign, unseen)
    await store.removeMessages(team.id, [await store.newestPosition(team.id)], NOW)

    const view = { teamId: team.id, oldestReceivedAt: NOW, filter: {} }
    const ids = [...many, long, html, expired, gone, unseen].map(({ id }) => id)
    const found = await store.beginnings(view, [...ids, newId()])
    const byId = new Map(found.map(({ id, ...rest }) => [id, rest]))
    expect(byId.size).toBe(MESSAGES + 2)
    expect(byId.get(many[7]!.id)).toEqual({ text: 'Text 7', html: null, codes: [] })
    expect(byId.get(long.id)).toEqual({ text: 'ä'.repeat(PREVIEW_SOURCE_MAX.text), html: null, codes: [code] })
    expect(byId.get(html.id)!.html).toHaveLength(PREVIEW_SOURCE_MAX.html)
    expect(await store.beginnings(view, [])).toEqual([])
  })
}
