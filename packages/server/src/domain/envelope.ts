import type { Envelope } from '@mailhatch/sdk'

/** `username`: who signed in to send the mail, if anyone did. Only the APIs of other mail catchers show it. */
export type SignedEnvelope = Envelope & { username?: string | undefined }

export function withoutUsername(envelope: SignedEnvelope): Envelope {
  const { username: _, ...shown } = envelope
  return shown
}
