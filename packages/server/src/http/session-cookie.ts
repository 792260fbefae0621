/** The longest time that browsers keep a cookie. The server decides when a session ends. */
const COOKIE_SECONDS = 400 * 86_400

/** The public URL, if it is known. If it uses https, all requests do. */
type Site = { appUrl?: string | null }

/** Browsers accept the `__Host-` prefix only over https. With it, other sites cannot set or replace the cookie. */
export function cookieName(site: Site): string {
  return isSecure(site) ? '__Host-mailhatch' : 'mailhatch'
}

export function sessionCookie(site: Site, token: string): string {
  return cookie(site, token, COOKIE_SECONDS)
}

export function endedCookie(site: Site): string {
  return cookie(site, '', 0)
}

export function readCookie(request: Request, name: string): string | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1) || null
}

/** With Lax, requests from other sites carry the cookie only if the user follows a link. */
export function cookieAttributes(site: Site, seconds: number): string {
  return `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(site) ? '; Secure' : ''}`
}

function cookie(site: Site, value: string, seconds: number): string {
  return `${cookieName(site)}=${value}; ${cookieAttributes(site, seconds)}`
}

export function isSecure({ appUrl }: Site): boolean {
  return appUrl?.toLowerCase().startsWith('https:') ?? false
}
