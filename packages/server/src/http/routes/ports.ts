import type { RandomInt } from '../../domain/random-text.ts'
import type { AcceptAnnouncement } from '../../intake/accept-announcement.ts'
import type { EndpointPorts } from '../../manage/endpoints.ts'
import type { KeyPorts, KeyRotated } from '../../manage/keys.ts'
import type { Rejections } from '../../manage/rejections.ts'
import type { RemovalPorts } from '../../manage/removal.ts'
import type { Contents } from '../../read/content.ts'
import type { Streams } from '../../read/streams.ts'
import type { Waits } from '../../read/wait.ts'
import type { Store } from '../../store/store.ts'
import type { Downloads } from '../downloads.ts'
import type { KeyEndings } from '../key-endings.ts'

export type ReferenceSource = {
  /** The OpenAPI document as JSON. */
  json(): Promise<string>
  /** The reference page and its content security policy. `origin` is the origin of the request. */
  page(origin: string): Promise<{ html: string; policy: string }>
}

/** What the handlers of routes need. */
export type RoutePorts = Omit<RemovalPorts, 'store'> &
  Omit<EndpointPorts, 'store'> &
  Omit<KeyPorts, 'store'> & {
    store: Store
    random: RandomInt
    waits: Waits
    streams: Streams
    contents: Contents
    downloads: Downloads
    keyEndings: KeyEndings
    keyRotated: KeyRotated
    /** Closes the streams and waits of the key. */
    endKey: (keyId: string) => void
    acceptAnnouncement: AcceptAnnouncement
    recordRejection: Rejections['record']
    isAllInOne: boolean
    reference: ReferenceSource
    /** Resolves to the current problems. An empty list means ready. */
    findProblems: () => Promise<string[]>
  }
