import type { Announcement } from '@mailhatch/sdk'

/** Carries an announcement to the API: over the network, or to the one next door. `text` matters only for refusals. */
export type Post = (announcement: Announcement) => Promise<{ status: number; text: string }>

/** `status` is null when no answer came. */
export type AnnounceOutcome = { ok: true } | { ok: false; status: number | null; error: string }

/** How much of an answer is kept to say why an announcement failed. */
const REASON_CHARACTERS_MAX = 300

export async function announce(post: Post, announcement: Announcement): Promise<AnnounceOutcome> {
  try {
    const { status, text } = await post(announcement)
    if (status >= 200 && status < 300) return { ok: true }
    return { ok: false, status, error: `${status} ${text.slice(0, REASON_CHARACTERS_MAX)}` }
  } catch (error) {
    return { ok: false, status: null, error: describe(error).slice(0, REASON_CHARACTERS_MAX) }
  }
}

export function postOverNetwork({ url, token, timeoutMs }: { url: string; token: string; timeoutMs: number }): Post {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (announcement) => {
    const body = JSON.stringify(announcement)
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    return { status: response.status, text: await response.text() }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch hides what went wrong in `cause`.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
