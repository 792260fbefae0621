/** Under which path the server is reached, written into the page by it; empty at the root of a host. */
export const BASE_PATH = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''

/** What the page may carry of styles made at run time, by its policy. */
export const STYLE_NONCE = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce

/** An address of the server, such as /auth/methods, as this page reaches it. */
export function serverPath(path: string): string {
  return `${BASE_PATH}${path}`
}
