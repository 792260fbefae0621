import type { ReferenceSource } from '../routes/ports.ts'
import type { Route } from '../routes/route.ts'

type Ports = {
  /** The public URL, if known. Otherwise the page shows the origin of the request. */
  appUrl: string | null
}

/** Rendering takes 4 ms, and clients without a key can ask for pages. A server has few addresses. */
const PAGES_MAX = 10

/** The OpenAPI document and the reference page. Loaded and built on the first request. */
export function createReference({ appUrl }: Ports, routes: Route[]): ReferenceSource {
  const publicUrl = appUrl === null ? null : publicAddress(appUrl)
  let building: ReturnType<typeof buildDocument> | null = null
  const document = () => (building ??= buildDocument(routes, publicUrl))
  const pages = new Map<string, ReturnType<typeof renderPage>>()

  async function renderPage(baseUrl: string) {
    const [{ described }, { renderReference, REFERENCE_POLICY }] = await Promise.all([document(), import('./page.ts')])
    return { html: await renderReference(described, baseUrl), policy: REFERENCE_POLICY }
  }

  return {
    json: async () => (await document()).json,
    page(origin) {
      const baseUrl = publicUrl ?? origin
      const page = pages.get(baseUrl) ?? renderPage(baseUrl)
      if (pages.size >= PAGES_MAX) pages.clear()
      pages.set(baseUrl, page)
      return page
    },
  }
}

/** Null for `localhost`, which is right only on the same machine. There, the origin of the request is the same. */
function publicAddress(url: string): string | null {
  return new URL(url).hostname === 'localhost' ? null : url.replace(/\/+$/, '')
}

async function buildDocument(routes: Route[], publicUrl: string | null) {
  const { describeApi } = await import('./openapi.ts')
  const described = describeApi(routes, publicUrl)
  return { described, json: JSON.stringify(described) }
}
