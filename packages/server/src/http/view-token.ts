import { z } from 'zod'
import type { Encryption } from '../manage/encryption.ts'

/** Just enough for a page to load its frame, because the URL may stay in a history. */
const TOKEN_MS = 60_000

const viewed = z.strictObject({
  teamId: z.string(),
  messageId: z.string(),
  /** The index of an attachment, or null for the HTML of the mail. */
  attachment: z.number().nullable(),
  remoteImages: z.boolean(),
  /** A mail that no team claims, instead of a message of the team. */
  isUnclaimed: z.boolean(),
})

const tokenContent = z.strictObject({ view: viewed, expiresAt: z.number(), once: z.string() })

/** What to show in a frame, which has no session. */
export type Viewed = z.output<typeof viewed>

export type ViewTokens = {
  make(view: Viewed): string
  /** Null if the token is invalid, expired or already used here. If `admit` throws, the token can be used again. */
  take(token: string, admit: (view: Viewed) => void): Viewed | null
}

type Ports = { encryption: Encryption; newSecret: () => string; now: () => number }

/**
 * Tokens are encrypted, so that every replica can read the tokens of the others. Each process remembers the used ones by
 * itself, so within its minute a token works once on each process.
 */
export function createViewTokens(ports: Ports): ViewTokens {
  // In the order of use, which is nearly the order of expiry.
  const used = new Map<string, number>()

  function forgetExpired(now: number): void {
    for (const [once, expiresAt] of used) {
      if (expiresAt > now) return
      used.delete(once)
    }
  }

  return {
    make(view) {
      const { encryption, newSecret, now } = ports
      const encrypted = encryption.encrypt(JSON.stringify({ view, expiresAt: now() + TOKEN_MS, once: newSecret() }))
      return encodeURIComponent(encrypted.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''))
    },

    take(token, admit) {
      const now = ports.now()
      const found = open(ports.encryption, token)
      if (!found || found.expiresAt <= now || used.has(found.once)) return null
      admit(found.view)
      forgetExpired(now)
      used.set(found.once, found.expiresAt)
      return found.view
    },
  }
}

function open(encryption: Encryption, token: string): z.output<typeof tokenContent> | null {
  try {
    const text = encryption.decrypt(token.replaceAll('-', '+').replaceAll('_', '/'))
    return tokenContent.safeParse(JSON.parse(text)).data ?? null
  } catch {
    // The token is forged or damaged.
    return null
  }
}
