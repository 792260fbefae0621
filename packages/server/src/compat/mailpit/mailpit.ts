import { createDownloads } from '../../http/downloads.ts'
import type { DoorPorts, Peer } from '../door.ts'
import { createFactsReader } from '../facts-reader.ts'
import { createRoutes } from '../routes.ts'
import { takeWebSockets } from '../upgrade.ts'
import type { MailpitPorts } from './caller.ts'
import { createEvents } from './events.ts'
import { factsOf, isSmall } from './facts.ts'
import { addMessageRoutes } from './message-routes.ts'
import { addMessagesRoutes } from './messages-routes.ts'
import { addOtherRoutes } from './other-routes.ts'
import { createSearch } from './search.ts'

/** Mailpit's API, version 1. docs/guide/mailpit-api.md lists what differs. */
export function createMailpit(given: DoorPorts): Peer {
  const facts = createFactsReader(given.store, { factsOf, isSmall })
  const search = createSearch({ store: given.store, facts })
  const events = createEvents(given)
  const ports: MailpitPorts = { ...given, search, facts, events, downloads: createDownloads() }
  return {
    serve: (enter) =>
      createRoutes(given, enter, {
        name: 'mailpit',
        addRoutes(app) {
          addMessagesRoutes(app, ports)
          addMessageRoutes(app, ports)
          addOtherRoutes(app, ports)
        },
      }).fetch,
    eventsPath: '/api/events',
    connect: takeWebSockets(events),
    deleted: events.deleted,
    close: events.close,
  }
}
