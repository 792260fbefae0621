import type { Announcement } from '@mailhatch/sdk'
import type { FailedTry, SetAsideNotice } from '../domain/set-aside.ts'

export type Answer = {
  status: number
  /** Matters only for refusals. */
  text: string
  /** Where a redirect points to. */
  location?: string | null
}

/** Carries an announcement to the API: over the network, or to the one next door. */
export type Post = (announcement: Announcement) => Promise<Answer>

/** Tells the API of a mail that was set aside, so that those who wait for it learn why; false if it was not heard. */
export type Report = (notice: SetAsideNotice) => Promise<boolean>

export type AnnounceOutcome = { ok: true } | ({ ok: false; error: string } & FailedTry)

/** How much of an answer is kept to say why an announcement failed. */
const REASON_CHARACTERS_MAX = 300

export async function announce(post: Post, announcement: Announcement): Promise<AnnounceOutcome> {
  try {
    const { status, text, location } = await post(announcement)
    if (status >= 200 && status < 300) return { ok: true }
    const reason = location ? `redirects to ${location}` : text
    return {
      ok: false,
      status,
      code: codeIn(text),
      isLost: false,
      error: `${status} ${reason.slice(0, REASON_CHARACTERS_MAX)}`,
    }
  } catch (error) {
    const reason = describe(error).slice(0, REASON_CHARACTERS_MAX)
    return { ok: false, status: null, code: null, isLost: isLostConnection(error), error: reason }
  }
}

type Address = { url: string; token: string; timeoutMs: number }

/** How the worker speaks with the API. */
export function wayOverNetwork(address: Address): { post: Post; report: Report } {
  const notices = { ...address, url: noticesUrl(address.url) }
  return {
    post: (announcement) => send(address, announcement),
    async report(notice) {
      const { status, text } = await send(notices, notice)
      // An older API does not know the address and says so itself. The 404 of a proxy is a wrong path.
      const isUnknownThere = (status === 404 || status === 405) && codeIn(text) !== null
      return (status >= 200 && status < 300) || isUnknownThere
    },
  }
}

/** Below the address of announcements. */
function noticesUrl(announcementsUrl: string): string {
  const url = new URL(announcementsUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/set-aside`
  return url.href
}

async function send({ url, token, timeoutMs }: Address, content: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(timeoutMs)
  // A redirect is not followed: the token and the mail are for the address that was configured, and no other.
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(content),
    redirect: 'manual',
    signal,
  })
  const { status } = response
  return { status, text: await response.text(), location: originOf(response.headers.get('location'), url) }
}

/** Of a Location, as much as one has to know; what follows it may be long, or private. */
function originOf(location: string | null, base: string): string | null {
  return location !== null && URL.canParse(location, base) ? new URL(location, base).origin : null
}

/** The stable code in an error of our own API; null in whatever else. */
export function codeIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('code' in body) || !('error' in body)) return null
    return typeof body.code === 'string' ? body.code : null
  } catch {
    return null
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch hides what went wrong in `cause`.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Cut after it was made: by Node's codes, or by what workerd says. A connection that was never made has others. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const cause: unknown = error.cause ?? error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code) || error.message.startsWith('Network connection lost')
}
