import { AppError } from '../domain/errors.ts'

/** Settings of the admin API; null where unset. On Cloudflare any of them may be missing while the worker runs. */
export type AdminSettings = {
  adminToken: string | null
  emailDomain: string | null
  workerName: string | null
  zoneId: string | null
  apiToken: string | null
  /** Null for Cloudflare's own. */
  apiUrl: string | null
}

const VARIABLES = {
  emailDomain: 'EMAIL_DOMAIN',
  workerName: 'EMAIL_WORKER_NAME',
  zoneId: 'CLOUDFLARE_ZONE_ID',
  apiToken: 'CLOUDFLARE_API_TOKEN',
} as const

type Name = keyof typeof VARIABLES

/** The named settings; throws with all that are missing, so that whoever sets them does so once. */
export function requireSettings<Needed extends Name>(settings: AdminSettings, names: Needed[]): Record<Needed, string> {
  const missing = names.filter((name) => !settings[name]).map((name) => VARIABLES[name])
  if (missing.length > 0) {
    throw new AppError('not_configured', `The worker lacks settings: ${missing.join(', ')}.`, {
      details: Object.fromEntries(missing.map((variable) => [variable, ['is not set']])),
    })
  }
  // Each has just been seen to be there.
  return settings as Record<Needed, string>
}
