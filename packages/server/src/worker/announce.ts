import type { Announcement } from '@mailhatch/sdk'

/** The network's `fetch`, or the API's own in the same process: the same checks run either way. */
export type Post = (url: string, init: RequestInit) => Promise<Response>

export type Target = { post: Post; url: string; token: string; timeoutMs: number }

/** `status` is null when no answer came. */
export type AnnounceOutcome = { ok: true } | { ok: false; status: number | null; error: string }

/** How much of an answer is kept to say why an announcement failed. */
const REASON_CHARACTERS_MAX = 300

export async function announce(target: Target, announcement: Announcement): Promise<AnnounceOutcome> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error('No answer in time')), target.timeoutMs)
  try {
    const response = await target.post(target.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(announcement),
      redirect: 'manual',
      signal: timeout.signal,
    })
    if (response.ok) {
      await response.body?.cancel()
      return { ok: true }
    }
    return { ok: false, status: response.status, error: `${response.status} ${await reasonOf(response)}` }
  } catch (error) {
    return { ok: false, status: null, error: describe(error) }
  } finally {
    clearTimeout(timer)
  }
}

async function reasonOf(response: Response): Promise<string> {
  return (await response.text()).slice(0, REASON_CHARACTERS_MAX)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch hides what went wrong in `cause`.
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`.slice(0, REASON_CHARACTERS_MAX)
}
