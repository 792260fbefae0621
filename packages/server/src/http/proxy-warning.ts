import type { Hono } from 'hono'
import type { Log } from '../observe/log.ts'
import type { ApiEnvironment } from './environment.ts'

/** Headers that proxies add. They are ignored unless TRUST_PROXY is on. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded']

/** Warns once if requests come through a proxy while TRUST_PROXY is off. */
export function warnOfProxy(
  app: Hono<ApiEnvironment>,
  ports: { site: { isBehindProxy: boolean }; observe: { log: Pick<Log, 'warn'> } },
): void {
  let hasWarned = false
  app.use((context, next) => {
    const isForwarded = !hasWarned && FORWARDING_HEADERS.some((name) => context.req.header(name) !== undefined)
    if (isForwarded && !ports.site.isBehindProxy) {
      hasWarned = true
      ports.observe.log.warn(
        {},
        'X-Forwarded-For received while TRUST_PROXY is off; set TRUST_PROXY=on if all requests come through a proxy',
      )
    }
    return next()
  })
}
