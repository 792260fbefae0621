import { isNotReaching } from '../domain/retry.ts'
import type { Log } from '../observe/log.ts'
import { refusalOf, type Metadata } from './metadata.ts'

export type Reachability = {
  reached(): void
  failed(metadata: Metadata): void
  /** A sentence for operators while announcements do not reach the API; null otherwise. */
  problem(): string | null
}

/** Tracks whether announcements reach the API, and logs each change once instead of once per mail. */
export function watchReachability(log: Pick<Log, 'error' | 'info'>): Reachability {
  let problem: string | null = null
  function reached(): void {
    if (problem === null) return
    problem = null
    log.info({}, 'announcements reach the API again')
  }

  return {
    reached,
    failed(metadata) {
      const found = reachabilityProblem(metadata)
      // The API itself responded.
      if (found === null) reached()
      if (found === null || found === problem) return
      problem = found
      log.error({ status: metadata.lastStatus, reason: metadata.lastError }, found)
    },
    problem: () => problem,
  }
}

/** Why announcements do not reach the API and what to do about it; null when the API itself responded. */
export function reachabilityProblem(metadata: Metadata): string | null {
  const refusal = refusalOf(metadata)
  return isNotReaching(refusal) ? `announcements are not reaching the API: ${explain(metadata)}` : null
}

function explain({ lastStatus: status, lastError }: Metadata): string {
  if (status === null) return `no response (${lastError})`
  if (status === 401) return 'it responds with 401. WEBHOOK_AUTH_TOKEN must equal its INBOX_WEBHOOK_SECRET'
  if (status === 404) return 'WEBHOOK_URL responds with 404. Check its path, which ends in /webhooks/inbox'
  if (status >= 300 && status < 400) {
    const target = lastError?.match(/redirects to (\S+)/)?.[1]
    const where = target ? ` and redirects to ${target}` : ''
    return `WEBHOOK_URL responds with ${status}${where}. Redirects are not followed: set WEBHOOK_URL to the final address`
  }
  if (status >= 500) return `WEBHOOK_URL responds with ${status}. Check the API and any proxy in front of it`
  return `WEBHOOK_URL responds with ${status}. Check the proxy in front of the API`
}
