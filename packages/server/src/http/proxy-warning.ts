import type { Hono } from 'hono'
import type { Log } from '../log.ts'
import type { ApiEnvironment } from './environment.ts'

/** What proxies add; without TRUST_PROXY nobody reads it. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded']

/** Says once that requests come through a proxy and that the setting for it is missing. */
export function warnOfProxy(
  app: Hono<ApiEnvironment>,
  ports: { accounts: { isBehindProxy: boolean }; log: Pick<Log, 'warn'> },
): void {
  let isSaid = false
  app.use(async (context, next) => {
    const isForwarded = !isSaid && FORWARDING_HEADERS.some((name) => context.req.header(name) !== undefined)
    if (isForwarded && !ports.accounts.isBehindProxy) {
      isSaid = true
      ports.log.warn(
        {},
        'X-Forwarded-For received while TRUST_PROXY is off; set TRUST_PROXY=on if all requests come through a proxy',
      )
    }
    return next()
  })
}
