import type { ComparedPeer } from './comparison.ts'
import { MAILDEV_2, MAILDEV_3 } from './maildev-peers.ts'
import { MAILHOG } from './mailhog-peer.ts'
import { MAILPIT } from './mailpit-peer.ts'

export const COMPARED_PEERS: ComparedPeer[] = [MAILPIT, MAILHOG, MAILDEV_2, MAILDEV_3]
