import { createDownloads } from '../../http/downloads.ts'
import type { DoorPorts, Peer } from '../door.ts'
import { createMailCounter } from '../mail-counts.ts'
import { createRoutes } from '../routes.ts'
import { takeWebSockets } from '../upgrade.ts'
import type { MailpitPorts } from './caller.ts'
import { createEvents } from './events.ts'
import { addMessageRoutes } from './message-routes.ts'
import { addMessagesRoutes } from './messages-routes.ts'
import { addOtherRoutes } from './other-routes.ts'
import { createSearch } from './search.ts'
import { addTagRoutes } from './tag-routes.ts'

/** Mailpit's API, version 1. docs/guide/mailpit-api.md lists what differs. */
export function createMailpit(given: DoorPorts): Peer {
  const search = createSearch(given.store)
  const counts = createMailCounter(given.store)
  const events = createEvents(given, counts)
  const ports: MailpitPorts = { ...given, search, counts, events, downloads: createDownloads() }
  return {
    serve: (enter) =>
      createRoutes(given, enter, {
        name: 'mailpit',
        ignoresLastSlash: false,
        addRoutes(app) {
          addMessagesRoutes(app, ports)
          addMessageRoutes(app, ports)
          addTagRoutes(app, ports)
          addOtherRoutes(app, ports)
        },
      }),
    events: { path: '/api/events', connect: takeWebSockets(given.observe, events) },
    deleted(teamId, ids) {
      search.deleted(teamId, ids)
      events.deleted(teamId, ids)
    },
    close: events.close,
  }
}
