import type { Hono } from 'hono'
import { AppError } from '../domain/errors.ts'
import type { Streams } from '../read/streams.ts'
import type { Subscriptions } from '../read/subscriptions.ts'
import type { Waits } from '../read/wait.ts'
import type { ApiEnvironment } from './environment.ts'

/** The server looks at itself twice a second, so whoever comes back meets another verdict. */
const RETRY_AFTER_SECONDS = '2'

const READING = ['GET', 'HEAD', 'OPTIONS']

export type IsOverloaded = () => boolean

export function requireNotOverloaded(isOverloaded: IsOverloaded): void {
  if (isOverloaded()) throw serverBusy()
}

/** For what is not a declared route: while there is too much to do, what writes below this path is refused. */
export function shedWrites(app: Hono<ApiEnvironment>, path: string, isOverloaded: IsOverloaded): void {
  app.use(path, async ({ req }, next) => {
    if (!READING.includes(req.method)) requireNotOverloaded(isOverloaded)
    await next()
  })
}

type Held = { waits: Waits; streams: Streams; subscriptions: Subscriptions }

/** While there is too much to do, nothing new is held open; a wait for what is there already is only a read. */
export function shedHeld({ waits, streams, subscriptions }: Held, isOverloaded: IsOverloaded): Held {
  return {
    waits: {
      ...waits,
      async until(view, options, look) {
        if (options.waitMs === 0 || !isOverloaded()) return waits.until(view, options, look)
        const found = await look()
        if (found === null) throw serverBusy()
        return found
      },
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
    },
  }
}

function serverBusy(): AppError {
  return new AppError('server_busy', 'The server has too much to do at the moment. Please ask again.', {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  })
}
