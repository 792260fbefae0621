/** The mail catchers whose API this server has, with the names that people know them by. */
export const PEERS = { mailpit: 'Mailpit', mailhog: 'MailHog', maildev: 'MailDev' } as const
export type PeerName = keyof typeof PEERS

// The keys of the object are exactly its names.
export const PEER_NAMES = Object.keys(PEERS) as PeerName[]
