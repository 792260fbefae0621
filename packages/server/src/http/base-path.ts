type Fetch<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>

/** The path of the public URL, without a trailing slash. Empty if the URL has none. */
export function basePathOf(appUrl: string): string {
  return new URL(appUrl).pathname.replace(/\/+$/, '')
}

/** Some proxies strip the base path, others keep it. Requests are served the same with and without it. */
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
