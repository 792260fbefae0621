import { isNotReaching } from '../domain/retry.ts'
import type { Log } from '../log.ts'
import { refusalOf, type Metadata } from './metadata.ts'

export type Way = {
  taken(): void
  failed(metadata: Metadata): void
  /** A sentence for operators while announcements do not get to the API; null when they do, as far as is known. */
  trouble(): string | null
}

/** Watches whether announcements get to the API, and logs it when that changes: not for each mail. */
export function watchWay(log: Pick<Log, 'error' | 'info'>): Way {
  let trouble: string | null = null
  function reached(): void {
    if (trouble === null) return
    trouble = null
    log.info({}, 'announcements reach the API again')
  }

  return {
    taken: reached,
    failed(metadata) {
      const found = wayTrouble(metadata)
      // The API itself has answered.
      if (found === null) reached()
      if (found === null || found === trouble) return
      trouble = found
      log.error({ status: metadata.lastStatus, reason: metadata.lastError }, found)
    },
    trouble: () => trouble,
  }
}

/** What is wrong on the way to the API and what to do about it; null when the API itself has answered. */
export function wayTrouble(metadata: Metadata): string | null {
  const refusal = refusalOf(metadata)
  return isNotReaching(refusal) ? `announcements are not reaching the API: ${explain(metadata)}` : null
}

function explain({ lastStatus: status, lastError }: Metadata): string {
  if (status === null) return `no answer (${lastError})`
  if (status === 401) return 'it answers 401. WEBHOOK_AUTH_TOKEN must equal its INBOX_WEBHOOK_SECRET'
  if (status === 404) return 'WEBHOOK_URL answers 404. Check its path, which ends in /webhooks/inbox'
  if (status >= 300 && status < 400) {
    const target = lastError?.match(/redirects to (\S+)/)?.[1]
    const where = target ? ` and redirects to ${target}` : ''
    return `WEBHOOK_URL answers ${status}${where}. Redirects are not followed: set WEBHOOK_URL to the final address`
  }
  if (status >= 500) return `WEBHOOK_URL answers ${status}. Check the API and any proxy in front of it`
  return `WEBHOOK_URL answers ${status}. Check the proxy in front of the API`
}
