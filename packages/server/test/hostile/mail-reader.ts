import type { MessageDetail } from '@mailhatch/sdk'
import { API_KEY, type ChildServer } from '../support/child-server.ts'
import { expectDocumented } from '../support/documented.ts'
import { sha256 } from '../support/stored-mail.ts'
import type { GrammarMail } from './mail-grammar.ts'

/** What a signed-in person's browser asks. */
export type Dashboard = { headers: Record<string, string> }

/** Some messages have a thousand. */
const ATTACHMENTS_READ = 3
const SEARCH_CHARACTERS = 60
/**
 * A search reads the text of all long mail that it covers, up to 2 ms per MB. With all mail before it for each message, the
 * run would take time quadratic in their number, so most searches cover only what has arrived since.
 */
const SEARCHED_IN_ALL_EVERY = 20
const REJECTIONS_READ = 200

/** Reads a message in every way that there is. */
export function mailReader({ apiUrl }: Pick<ChildServer, 'apiUrl'>, dashboard: Dashboard) {
  async function request(path: string, headers: Record<string, string>): Promise<Response> {
    return fetch(apiUrl + path, { headers })
  }

  async function download(path: string): Promise<Uint8Array> {
    const answer = await request(path, { authorization: `Bearer ${API_KEY}` })
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    return new Uint8Array(await answer.arrayBuffer())
  }

  async function json<Body>(path: string): Promise<Body> {
    const answer = await request(path, { authorization: `Bearer ${API_KEY}` })
    const body = (await answer.json()) as Body
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    expectDocumented('GET', apiUrl + path, { status: answer.status, headers: answer.headers, body })
    return body
  }

  /** A query of the dashboard's procedures. */
  async function query<Result>(procedure: string, input: object): Promise<Result> {
    const path = `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`
    const answer = await request(path, dashboard.headers)
    if (answer.status !== 200) throw new Error(`${procedure} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { result: { data: Result } }).result.data
  }

  async function view(input: object, statuses: number[]): Promise<void> {
    const { path } = await query<{ path: string }>('inbox.messages.view', input)
    const answer = await request(path, {})
    await answer.text()
    if (!statuses.includes(answer.status)) throw new Error(`its view answered ${answer.status}`)
  }

  return {
    /** Resolves to mail with other bytes than were sent, and attachments of another size than it says. */
    async readByApi(message: MessageDetail, { name, raw }: GrammarMail): Promise<string[]> {
      const { id, tag, subject } = message
      const changed: string[] = []
      const detail = await json<{ data: MessageDetail }>(`/v1/messages/${id}`)
      const listed = await json<{ data: { id: string }[] }>(`/v1/messages?tag=${tag}`)
      if (!listed.data.some((one) => one.id === id)) throw new Error('it is not listed')
      const words = searchable(subject)
      const search = new URLSearchParams({ limit: '5', q: words, ...searchedSince(message) })
      if (words !== '') await json(`/v1/messages?${search}`)
      if (sha256(await download(`/v1/messages/${id}/raw`)) !== sha256(raw)) changed.push(name)
      for (const { index, size } of detail.data.attachments.slice(0, ATTACHMENTS_READ)) {
        const { byteLength } = await download(`/v1/messages/${id}/attachments/${index}`)
        if (byteLength !== size) changed.push(`${name}: attachment ${index} has ${byteLength} bytes, not ${size}`)
      }
      return changed
    },

    async readInDashboard(message: MessageDetail): Promise<void> {
      const { id, attachments, subject } = message
      await query('inbox.messages.get', { id })
      await query('inbox.messages.previews', { ids: [id] })
      const words = searchable(subject)
      if (words !== '') await query('inbox.messages.list', { q: words, limit: 5, ...searchedSince(message) })
      await view({ id, attachment: null, remoteImages: true }, [200])
      // Most kinds of attachments have no preview.
      for (const { index } of attachments.slice(0, 1))
        await view({ id, attachment: index, remoteImages: false }, [200, 404])
    },

    async isSetAside(tag: string): Promise<boolean> {
      const { data } = await json<{ data: { to: string; code: string }[] }>(`/v1/rejections?limit=${REJECTIONS_READ}`)
      return data.some(({ to, code }) => code === 'set_aside' && to.includes(`+${tag}@`))
    },
  }
}

/** Filters are at most this long, and have no NUL and no half characters. */
function searchable(subject: string): string {
  return subject.slice(0, SEARCH_CHARACTERS).replaceAll('\0', '').toWellFormed().trim()
}

/** Tags are numbered. */
function searchedSince({ tag, receivedAt }: MessageDetail): { since?: string } {
  return Number(tag?.slice(1)) % SEARCHED_IN_ALL_EVERY === 0 ? {} : { since: receivedAt }
}
