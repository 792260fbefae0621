import type { ComparedPeer } from './comparison.ts'
import { MAILHOG } from './mailhog-peer.ts'
import { MAILPIT } from './mailpit-peer.ts'

export const COMPARED_PEERS: ComparedPeer[] = [MAILPIT, MAILHOG]
