import type { Hono } from 'hono'
import type { Log } from '../log.ts'
import type { ApiEnvironment } from './app.ts'

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
        'requests come with X-Forwarded-For while TRUST_PROXY is off: everyone behind the proxy counts as one address. ' +
          'Set TRUST_PROXY=on if the API is reached only through that proxy',
      )
    }
    return next()
  })
}
