type Fetch<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>

/** The path under which people reach the server, without a slash at its end: empty unless their address has one. */
export function basePathOf(appUrl: string): string {
  return new URL(appUrl).pathname.replace(/\/+$/, '')
}

/** Some proxies strip the path under which they serve us, others keep it: what comes with it is served as without it. */
export function underBasePath<Rest extends unknown[]>(fetch: Fetch<Rest>, appUrl: string): Fetch<Rest> {
  const base = basePathOf(appUrl)
  if (base === '') return fetch
  return (request, ...rest) => {
    const url = new URL(request.url)
    if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return fetch(request, ...rest)
    url.pathname = url.pathname.slice(base.length) || '/'
    return fetch(new Request(url, request), ...rest)
  }
}
