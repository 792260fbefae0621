import { createDownloads } from '../../http/downloads.ts'
import { createMailCounter } from '../mail-counts.ts'
import type { DoorPorts, Peer } from '../door.ts'
import { createRoutes } from '../routes.ts'
import { takeWebSockets } from '../upgrade.ts'
import type { MailhogPorts } from './caller.ts'
import { createEvents } from './events.ts'
import { addMessageRoutes } from './message-routes.ts'
import { addMessagesRoutes } from './messages-routes.ts'
import { addOtherRoutes } from './other-routes.ts'
import { createSearch } from './search.ts'
import { createMailWriter } from './write-messages.ts'

/** MailHog's API, versions 1 and 2. docs/guide/mailhog-api.md lists what differs. */
export function createMailhog(given: DoorPorts): Peer {
  const ports: MailhogPorts = {
    ...given,
    counts: createMailCounter(given.store),
    search: createSearch({ store: given.store, contents: given.messages.contents }),
    writer: createMailWriter(given),
    events: createEvents(given),
    downloads: createDownloads(),
  }
  return {
    serve: (enter) =>
      createRoutes(given, enter, {
        name: 'mailhog',
        // MailHog redirects to it, which clients follow for all methods but POST.
        ignoresLastSlash: true,
        addRoutes(app) {
          addMessagesRoutes(app, ports)
          addMessageRoutes(app, ports)
          addOtherRoutes(app, ports)
        },
      }),
    events: { path: '/api/v2/websocket', connect: takeWebSockets(given.observe, ports.events) },
    deleted: () => {},
    close: ports.events.close,
  }
}
