/** The path prefix of the server, which it writes into the page; empty at the root of a host. */
export const BASE_PATH = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''

/** The nonce that the content security policy requires for styles added at run time. */
export const STYLE_NONCE = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce

/** A server path such as /auth/methods, with the prefix. */
export function serverPath(path: string): string {
  return `${BASE_PATH}${path}`
}
