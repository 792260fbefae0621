import { OWN_FAILURES_MAX } from '../../src/domain/set-aside.ts'
import type { Metadata } from '../../src/worker/metadata.ts'
import { ADMIN_TOKEN } from './admin-subject.ts'

/** Longer than the 20 s for which one request retries mail. */
const RESPONSE_MS_MAX = 60_000
const PAGE = 200

type Page = { cursor?: string }

/** What an operator does over the admin API of a worker that has `ADMIN_TOKEN`. */
export function operatorAt(workerUrl: string, responseMsMax = RESPONSE_MS_MAX) {
  function request(path: string, method = 'GET'): Promise<Response> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    return fetch(`${workerUrl}/admin${path}`, { method, headers, signal: AbortSignal.timeout(responseMsMax) })
  }

  async function* pages<Found extends Page>(path: string, method?: string): AsyncGenerator<Found> {
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) })
      const response = await request(`${path}?${query}`, method)
      if (!response.ok) throw new Error(`${path} has status ${response.status}: ${await response.text()}`)
      // As documented.
      const page = (await response.json()) as Found
      yield page
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  return {
    async listSetAside(): Promise<Metadata[]> {
      return (await Array.fromAsync(pages<Page & { messages: Metadata[] }>('/set-aside'))).flatMap(
        (page) => page.messages,
      )
    },
    /** Announces one mail. Resolves to the status. */
    async retry({ mailbox, id, domain }: Metadata): Promise<number> {
      return (await request(`/inboxes/${mailbox}/messages/${id}/webhook?domain=${domain}`, 'POST')).status
    },
    /** Announces all mail that waits, set aside or not. */
    async retryAll(): Promise<void> {
      await Array.fromAsync(pages('/webhook/retry', 'POST'))
    },
  }
}

/** Whether the worker has set it aside as documented: after as many failures as that takes, and with a reason. */
export function isProperlySetAside({ ownFailures, setAside }: Metadata): boolean {
  return setAside !== null && setAside.reason.length > 0 && ownFailures === OWN_FAILURES_MAX
}
