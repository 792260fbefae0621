import type { R2Bucket } from '@cloudflare/workers-types'
import { clampTimeoutMs } from '../domain/retry.ts'
import type { AdminSettings } from './admin-settings.ts'
import { createApiClient, type Post, type Report, type ScriptClient } from './announce.ts'

/** What `wrangler.jsonc` and `wrangler secret put` pass to the worker, unchecked. */
export type Bindings = {
  INBOX_STORAGE: R2Bucket
  EMAIL_DOMAIN?: string
  EMAIL_WORKER_NAME?: string
  WEBHOOK_URL?: string
  WEBHOOK_TIMEOUT_MS?: string
  WEBHOOK_AUTH_TOKEN?: string
  REFUSED_MAIL_DAYS?: string
  SCENARIOS?: string
  ADMIN_TOKEN?: string
  CLOUDFLARE_ZONE_ID?: string
  CLOUDFLARE_API_TOKEN?: string
  CLOUDFLARE_API_URL?: string
}

export type CloudflareSettings = {
  rootDomain: string
  /** Null when no webhook is configured. */
  post: Post | null
  report: Report | null
  /** Null if scenarios are off. */
  scripts: ScriptClient | null
  timeoutMs: number
  /** Null keeps refused mail. */
  refusedMailDays: number | null
  admin: AdminSettings
}

const TIMEOUT_MS_DEFAULT = 10_000

export function readSettings(bindings: Bindings): CloudflareSettings {
  const emailDomain = bindings.EMAIL_DOMAIN?.trim().toLowerCase() || null
  const timeoutMs = clampTimeoutMs(Number(bindings.WEBHOOK_TIMEOUT_MS) || TIMEOUT_MS_DEFAULT)
  return {
    // Without a root domain there are no tenant subdomains, but mail is still stored.
    rootDomain: emailDomain ?? '',
    ...chooseApiClient(bindings, timeoutMs),
    timeoutMs,
    refusedMailDays: readDays(bindings.REFUSED_MAIL_DAYS),
    admin: {
      adminToken: bindings.ADMIN_TOKEN || null,
      emailDomain,
      workerName: bindings.EMAIL_WORKER_NAME || null,
      zoneId: bindings.CLOUDFLARE_ZONE_ID || null,
      apiToken: bindings.CLOUDFLARE_API_TOKEN || null,
      apiUrl: bindings.CLOUDFLARE_API_URL || null,
    },
  }
}

/** An invalid value keeps mail: a typo must not delete anything. */
function readDays(text: string | undefined): number | null {
  const days = /^\d+$/.test(text ?? '') ? Number(text) : 0
  return days > 0 ? days : null
}

type ConfiguredApi =
  | { post: Post; report: Report; scripts: ScriptClient | null }
  | { post: null; report: null; scripts: null }

/** A Worker has no startup log to read, so invalid settings become the recorded reason of failed attempts. */
function chooseApiClient(bindings: Bindings, timeoutMs: number): ConfiguredApi {
  const { WEBHOOK_URL: url, WEBHOOK_AUTH_TOKEN: token } = bindings
  if (!url) return { post: null, report: null, scripts: null }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return failingApi('WEBHOOK_URL must be a URL with https:// (or http:// for local use)')
  }
  if (!token) return failingApi('WEBHOOK_AUTH_TOKEN is not set')
  const client = createApiClient({ url, token, timeoutMs })
  return { ...client, scripts: bindings.SCENARIOS === 'on' ? client.scripts : null }
}

function failingApi(reason: string): ConfiguredApi {
  const fail = async () => {
    throw new Error(reason)
  }
  return { post: fail, report: fail, scripts: null }
}
