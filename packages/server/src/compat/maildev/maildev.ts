import { createDownloads } from '../../http/downloads.ts'
import type { DoorPorts, Peer } from '../door.ts'
import { createMailCounter } from '../mail-counts.ts'
import { createRoutes } from '../routes.ts'
import type { MaildevPorts } from './caller.ts'
import { addEmailRoutes } from './email-routes.ts'
import { addListRoutes } from './list-routes.ts'
import { createLists } from './lists.ts'

/** MailDev's API: that of version 3 below `/api`, and that of version 2. docs/guide/maildev-api.md lists what differs. */
export function createMaildev(given: DoorPorts): Peer {
  const ports: MaildevPorts = {
    ...given,
    lists: createLists(given.store),
    counts: createMailCounter(given.store),
    downloads: createDownloads(),
  }
  return {
    serve: (enter) =>
      createRoutes(given, enter, {
        name: 'maildev',
        ignoresLastSlash: true,
        addHealthChecks(app) {
          app.on('GET', ['/healthz', '/api/healthz'], async (context) => {
            const problems = await given.observe.findProblems()
            return problems.length === 0 ? context.json(true) : context.json({ error: problems.join(' ') }, 503)
          })
        },
        addRoutes(app) {
          addListRoutes(app, ports)
          addEmailRoutes(app, ports)
        },
        contentOf: ({ message }) => ({
          type: 'application/json; charset=utf-8',
          body: JSON.stringify({ error: message }),
        }),
      }),
    events: null,
    deleted: () => {},
    close: () => {},
  }
}
