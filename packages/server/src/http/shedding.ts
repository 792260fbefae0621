import type { Hono } from 'hono'
import { AppError } from '../domain/errors.ts'
import type { Streams } from '../read/streams.ts'
import type { Subscriptions } from '../read/subscriptions.ts'
import type { Waits } from '../read/wait.ts'
import type { ApiEnvironment } from './app.ts'

/** The server looks at itself twice a second, so whoever comes back meets another verdict. */
const RETRY_AFTER_SECONDS = '2'

const READING = ['GET', 'HEAD', 'OPTIONS']
/** What an agent asks for is judged by the REST route behind it; procedures refuse in an envelope of their own. */
const JUDGED_LATER = /^\/(?:mcp$|trpc\/)/

export type IsOverloaded = () => boolean

/** To be added before all routes that write: while there is too much to do, they are not even looked at. */
export function shedWrites(app: Hono<ApiEnvironment>, isOverloaded: IsOverloaded): void {
  app.use(async ({ req: { method, path } }, next) => {
    if (!READING.includes(method) && !JUDGED_LATER.test(path) && isOverloaded()) throw serverBusy()
    await next()
  })
}

type Held = { waits: Waits; streams: Streams; subscriptions: Subscriptions }

/** While there is too much to do, nothing new is held open; a wait for what is there already is only a read. */
export function shedHeld({ waits, streams, subscriptions }: Held, isOverloaded: IsOverloaded): Held {
  function requireRoom(): void {
    if (isOverloaded()) throw serverBusy()
  }

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
        requireRoom()
        return streams.open(request, connect)
      },
    },
    subscriptions: {
      ...subscriptions,
      follow(subscription) {
        requireRoom()
        return subscriptions.follow(subscription)
      },
    },
  }
}

export function serverBusy(): AppError {
  return new AppError('server_busy', 'The server has too much to do at the moment. Please ask again.', {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  })
}
