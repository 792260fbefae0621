import type { Hono } from 'hono'
import { AppError } from '../domain/errors.ts'
import type { Overload } from '../observe/overload.ts'
import type { Streams } from '../read/streams.ts'
import type { Subscriptions } from '../read/subscriptions.ts'
import type { Look, Waits } from '../read/wait.ts'
import type { ApiEnvironment } from './environment.ts'

/** The server measures its load twice a second, so by then the result may have changed. */
const RETRY_AFTER_SECONDS = '2'

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

export type IsOverloaded = () => boolean

export function requireNotOverloaded(isOverloaded: IsOverloaded): void {
  if (isOverloaded()) throw serverBusy()
}

/** For paths that are not declared routes: refuses writes below the path while the server is overloaded. */
export function shedWrites(app: Hono<ApiEnvironment>, path: string, isOverloaded: IsOverloaded): void {
  app.use(path, async ({ req }, next) => {
    if (!READ_METHODS.includes(req.method)) requireNotOverloaded(isOverloaded)
    await next()
  })
}

type Load = Pick<Overload, 'isOverloaded' | 'isMemoryShort'>
type Held = { waits: Waits; streams: Streams; subscriptions: Subscriptions }

/**
 * While the server is overloaded, no new stream is opened. A wait is still held unless memory is short: holding it costs at
 * most one query, and refusing it costs one for every time that the client asks again.
 */
export function shedHeld({ waits, streams, subscriptions }: Held, { isOverloaded, isMemoryShort }: Load): Held {
  return {
    waits: {
      ...waits,
      until: (view, options, look) =>
        options.waitMs > 0 && isMemoryShort() ? findAtOnce(look) : waits.until(view, options, look),
    },
    streams: {
      ...streams,
      async open(request, connect) {
        requireNotOverloaded(isOverloaded)
        return streams.open(request, connect)
      },
    },
    subscriptions: {
      ...subscriptions,
      follow(subscription) {
        requireNotOverloaded(isOverloaded)
        return subscriptions.follow(subscription)
      },
      requireRoom(userId) {
        requireNotOverloaded(isOverloaded)
        subscriptions.requireRoom(userId)
      },
    },
  }
}

/** A wait that matches at once is only a read. */
async function findAtOnce<Found>(look: Look<Found>): Promise<Found> {
  const found = await look(null)
  if (found === null) throw serverBusy()
  return found
}

function serverBusy(): AppError {
  return new AppError('server_busy', 'The server is overloaded. Please retry.', {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  })
}
