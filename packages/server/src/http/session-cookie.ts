/** As long as browsers keep one at most: the server decides when a session ends. */
const COOKIE_SECONDS = 400 * 86_400

/** The address that people use, where it is known; https there means https everywhere. */
type Place = { appUrl?: string | null }

/** Browsers take the `__Host-` prefix only over https, and then nobody else's site can set or replace the cookie. */
export function cookieName(place: Place): string {
  return isSecure(place) ? '__Host-mailhatch' : 'mailhatch'
}

export function sessionCookie(place: Place, token: string): string {
  return cookie(place, token, COOKIE_SECONDS)
}

export function endedCookie(place: Place): string {
  return cookie(place, '', 0)
}

export function readCookie(request: Request, name: string): string | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1) || null
}

/** For a site that is not ours, Lax leaves it out of everything but following a link. */
export function cookieAttributes(place: Place, seconds: number): string {
  return `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(place) ? '; Secure' : ''}`
}

function cookie(place: Place, value: string, seconds: number): string {
  return `${cookieName(place)}=${value}; ${cookieAttributes(place, seconds)}`
}

export function isSecure({ appUrl }: Place): boolean {
  return appUrl?.toLowerCase().startsWith('https:') ?? false
}
