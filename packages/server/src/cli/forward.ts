import { performance } from 'node:perf_hooks'
import { signWebhook } from '@mailhatch/sdk'

/** The same timeout as for deliveries by the server. */
const ANSWER_MS_MAX = 10_000

export type ForwardAnswer = { status: number; latencyMs: number } | 'away' | 'late'

export type Forward = (event: { id: string; body: string }, signal: AbortSignal) => Promise<ForwardAnswer>

/** Posts events to the user's target, signed like the server's deliveries. `away`: the target is unreachable. */
export function createForward({
  target,
  secret,
  headers,
}: {
  target: string
  secret: string
  headers: Headers
}): Forward {
  return async ({ id, body }, signal) => {
    const signature = await signWebhook({ id, body, secrets: [secret], timestamp: Math.floor(Date.now() / 1000) })
    const all = new Headers(headers)
    for (const [name, value] of Object.entries(signature)) all.set(name, value)
    all.set('content-type', 'application/json')
    all.set('user-agent', 'Mailhatch-Webhook/1')
    const startedAt = performance.now()
    const deadline = AbortSignal.timeout(ANSWER_MS_MAX)
    try {
      const request = { method: 'POST', headers: all, body, signal: AbortSignal.any([signal, deadline]) }
      // Redirects are failures, as in deliveries by the server.
      const response = await fetch(target, { ...request, redirect: 'manual' })
      // An unread body would keep the connection open.
      await response.body?.cancel()
      return { status: response.status, latencyMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.aborted) return 'late'
      if (isUnreached(error)) return 'away'
      throw error
    }
  }
}

/** `fetch` throws a TypeError without a response; its cause has the socket's error code. */
function isUnreached(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && 'code' in error.cause
}
