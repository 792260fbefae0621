import { madeSecret } from './made-secrets.ts'

/** The parts of a response that tests check. `body` is null if there is none. */
export type Page<Body> = { status: number; headers: Headers; body: Body; setCookies: string[] }

type Failure = { error: string; code: string; details?: Record<string, string[]> }

export type Browser = ReturnType<typeof openBrowser>

/** The parts of a browser that sign-in needs: it stores cookies and sends the origin with changes. */
export function openBrowser(url: string, { origin = url, userAgent = 'Test Browser' } = {}) {
  const cookies = new Map<string, string>()

  function keep(setCookies: string[]): void {
    for (const line of setCookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/max-age=0\b/i.test(line)) cookies.delete(name!)
      else cookies.set(name!, madeSecret(value!))
    }
  }

  async function send<Body = { data: Record<string, unknown> } & Failure>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string | null> } = {},
  ): Promise<Page<Body>> {
    const all = new Headers({ 'user-agent': userAgent })
    if (cookies.size > 0) all.set('cookie', Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; '))
    if (method !== 'GET') all.set('origin', origin)
    if (body) all.set('content-type', 'application/json')
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) all.delete(name)
      else all.set(name, value)
    }
    const response = await fetch(new URL(path, url), {
      method,
      headers: all,
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const setCookies = response.headers.getSetCookie()
    keep(setCookies)
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    // The test checks the shape.
    return {
      status: response.status,
      headers: response.headers,
      setCookies,
      body: (isJson ? JSON.parse(text) : null) as Body,
    }
  }

  return {
    cookies,
    send,
    get: <Body = { data: Record<string, unknown> } & Failure>(path: string) => send<Body>('GET', path),
    post: (path: string, body: object = {}) => send('POST', path, { body }),
    remove: (path: string) => send('DELETE', path),
    /** Whether the server recognises the user. */
    isSignedIn: async () => (await send('GET', '/auth/sessions')).status === 200,
  }
}
