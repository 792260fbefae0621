import { reasonOf } from '../domain/reason.ts'

const DEFAULT_PORT = 5432
/** A host that failed is the last choice for this long, so that few requests wait for one that does not respond. */
const AVOIDED_MS = 5_000

/** What precedes the hosts, the hosts, and what follows them. A password may contain commas. */
const AROUND_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const NAME_AND_PORT = /^(\[[^\]]*\]|[^:[]*)(?::(.*))?$/s

/**
 * The URL of each host in a list as libpq takes it: `postgres://user:password@a:5432,b:5433/database`. The errors repeat
 * nothing of the URL, because a part of the password may look like a host or a port.
 */
export function splitHosts(url: string): [string, ...string[]] {
  const [, before, hosts, after] = AROUND_HOSTS.exec(url) ?? []
  if (hosts === undefined) throw malformed()
  const list = hosts.split(',')
  const urls = list.map((host, index) => {
    const [, name, port = ''] = NAME_AND_PORT.exec(host) ?? []
    const which = list.length === 1 ? '' : ` (host ${index + 1} of ${list.length})`
    if (name === undefined) throw malformed()
    if (port !== '' && !isPort(port)) throw new Error(`has an invalid port${which}: use a number from 1 to 65535`)
    // A single host may be missing, or have a port in the environment. The driver knows both.
    if (list.length === 1) return url
    if (name === '') throw new Error(`has an empty host${which}: separate hosts by one comma, as in a:5432,b:5432`)
    return `${before}${name}:${port || DEFAULT_PORT}${after}`
  })
  if (!urls.every((one) => URL.canParse(one))) throw malformed()
  const [first, ...others] = urls
  const { searchParams } = new URL(first!)
  if (others.length > 0 && (searchParams.has('host') || searchParams.has('port'))) {
    throw new Error('has several hosts, so the parameters host and port must be absent')
  }
  return [first!, ...others]
}

/** `a:5432,b:5433`, for people. */
export function nameHosts(url: string): string {
  return splitHosts(url).map(nameHost).join(',')
}

/** Why a host cannot be used. */
export class HostFailure extends Error {
  constructor(url: string, cause: unknown) {
    super(`${nameHost(url)}: ${reasonOf(cause)}`, { cause })
    this.name = 'HostFailure'
  }
}

/** Why none of several hosts can be used. */
export class HostsFailed extends Error {
  readonly failures: HostFailure[]

  constructor(failures: HostFailure[]) {
    super(failures.map(({ message }) => message).join('; '))
    this.name = 'HostsFailed'
    this.failures = failures
  }
}

/** The error of the only host as it is, or one error for all hosts. */
export function failureOf(failures: HostFailure[]): unknown {
  return failures.length === 1 ? failures[0]!.cause : new HostsFailed(failures)
}

export type Rotation = {
  count: number
  /** The host of a new connection: each in turn, but those that failed a moment ago last. */
  next(): string
  reached(url: string): void
  failed(url: string, error: unknown): HostFailure
  /** The last failure of each host that has had one. */
  failures(): HostFailure[]
}

type Options = {
  /** Called once until the host is reached again. Not called for a single host, where requests fail. */
  onFailure?: (failure: HostFailure) => void
  now?: () => number
}

export function createRotation(
  urls: string[],
  { onFailure = () => {}, now = () => performance.now() }: Options = {},
): Rotation {
  const failedAt = new Map<string, number>()
  const failures = new Map<string, HostFailure>()
  let turn = 0

  function avoidedSince(url: string): number {
    const at = failedAt.get(url) ?? -Infinity
    return now() - at < AVOIDED_MS ? at : 0
  }

  return {
    count: urls.length,
    next() {
      const inTurn = [...urls.slice(turn), ...urls.slice(0, turn)]
      // If all failed, it is the one that failed first, so that as many attempts as there are hosts try each of them.
      const url = inTurn.toSorted((one, other) => avoidedSince(one) - avoidedSince(other))[0]!
      turn = (urls.indexOf(url) + 1) % urls.length
      return url
    },
    reached: (url) => void failedAt.delete(url),
    failed(url, error) {
      const failure = new HostFailure(url, error)
      if (urls.length > 1 && !failedAt.has(url)) onFailure(failure)
      failedAt.set(url, now())
      failures.set(url, failure)
      return failure
    },
    failures: () => urls.flatMap((url) => failures.get(url) ?? []),
  }
}

function nameHost(url: string): string {
  return new URL(url).host
}

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
}

function malformed(): Error {
  return new Error('must be postgres://user:password@host:port/database')
}
