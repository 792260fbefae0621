import type { Envelope } from '@mailhatch/sdk'

/** `username`: who signed in to send the mail, if anyone did. Only the APIs of other mail catchers show it. */
export type NamedEnvelope = Envelope & { username?: string | undefined }

export function withoutUsername(envelope: NamedEnvelope): Envelope {
  const { username: _, ...shown } = envelope
  return shown
}
