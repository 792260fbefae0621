import { AppError } from '../domain/errors.ts'

/** Settings of the admin API; null when unset. On Cloudflare the worker runs even if some are missing. */
export type AdminSettings = {
  adminToken: string | null
  emailDomain: string | null
  workerName: string | null
  zoneId: string | null
  apiToken: string | null
  /** Null for Cloudflare's API. */
  apiUrl: string | null
}

const VARIABLES = {
  emailDomain: 'EMAIL_DOMAIN',
  workerName: 'EMAIL_WORKER_NAME',
  zoneId: 'CLOUDFLARE_ZONE_ID',
  apiToken: 'CLOUDFLARE_API_TOKEN',
} as const

type Name = keyof typeof VARIABLES

/** Returns the named settings. The error lists every missing one, so that all can be set at once. */
export function requireSettings<Needed extends Name>(settings: AdminSettings, names: Needed[]): Record<Needed, string> {
  const missing = names.filter((name) => !settings[name]).map((name) => VARIABLES[name])
  if (missing.length > 0) {
    throw new AppError('not_configured', `The worker lacks settings: ${missing.join(', ')}.`, {
      details: Object.fromEntries(missing.map((variable) => [variable, ['is not set']])),
    })
  }
  // The check above found every one of them.
  return settings as Record<Needed, string>
}
