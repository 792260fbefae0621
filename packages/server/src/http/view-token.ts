import { z } from 'zod'
import type { Encryption } from '../manage/encryption.ts'

/** Time for a page to load its frame, and no more: the address may lie in a history. */
const TOKEN_MS = 60_000

const viewed = z.strictObject({
  teamId: z.string(),
  messageId: z.string(),
  /** Null for the HTML of the mail. */
  attachment: z.number().nullable(),
  remoteImages: z.boolean(),
})

const sealedView = z.strictObject({ view: viewed, expiresAt: z.number(), once: z.string() })

/** What of a message its reader asked to see in a frame, which has no session of its own. */
export type Viewed = z.output<typeof viewed>

export type ViewTokens = {
  make(view: Viewed): string
  /** Null when it is none, is too old, or was used here before. If `admit` throws, the token can be used again. */
  take(token: string, admit: (view: Viewed) => void): Viewed | null
}

type Ports = { webhooks: { encryption: Encryption }; newSecret: () => string; now: () => number }

/**
 * Sealed, so that every replica can open what another made. Which are used is known to each process alone: within its
 * minute, a token opens at most once on each.
 */
export function createViewTokens(ports: Ports): ViewTokens {
  // In the order of use, which is nearly that of expiry.
  const used = new Map<string, number>()

  function forgetExpired(now: number): void {
    for (const [once, expiresAt] of used) {
      if (expiresAt > now) return
      used.delete(once)
    }
  }

  return {
    make(view) {
      const { webhooks, newSecret, now } = ports
      const sealed = webhooks.encryption.encrypt(
        JSON.stringify({ view, expiresAt: now() + TOKEN_MS, once: newSecret() }),
      )
      return encodeURIComponent(sealed.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''))
    },

    take(token, admit) {
      const now = ports.now()
      const found = open(ports.webhooks.encryption, token)
      if (!found || found.expiresAt <= now || used.has(found.once)) return null
      admit(found.view)
      forgetExpired(now)
      used.set(found.once, found.expiresAt)
      return found.view
    },
  }
}

function open(encryption: Encryption, token: string): z.output<typeof sealedView> | null {
  try {
    const text = encryption.decrypt(token.replaceAll('-', '+').replaceAll('_', '/'))
    return sealedView.safeParse(JSON.parse(text)).data ?? null
  } catch {
    // Whatever a stranger made up cannot be opened.
    return null
  }
}
