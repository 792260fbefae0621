import type { EarlyStep } from '../answer-errors.ts'
import type { Log } from '../observe/log.ts'
import type { ApiEnvironment } from './environment.ts'

/** Headers that proxies add. They are ignored unless TRUST_PROXY is on. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded']

/** A step that warns once if requests come through a proxy while TRUST_PROXY is off. */
export function proxyWarning(ports: {
  site: { isBehindProxy: boolean }
  observe: { log: Pick<Log, 'warn'> }
}): EarlyStep<ApiEnvironment> {
  let hasWarned = false
  return (context) => {
    const isForwarded = !hasWarned && FORWARDING_HEADERS.some((name) => context.req.header(name) !== undefined)
    if (isForwarded && !ports.site.isBehindProxy) {
      hasWarned = true
      ports.observe.log.warn(
        {},
        'X-Forwarded-For received while TRUST_PROXY is off; set TRUST_PROXY=on if all requests come through a proxy',
      )
    }
    return null
  }
}
