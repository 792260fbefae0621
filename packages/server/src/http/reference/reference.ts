import type { ReferenceSource } from '../routes/ports.ts'
import type { Route } from '../routes/route.ts'

type Ports = {
  /** The public URL, if known. Otherwise the page shows the origin of the request. */
  appUrl: string | null
}

/** The OpenAPI document and the reference page. Loaded and built on the first request. */
export function createReference({ appUrl }: Ports, routes: Route[]): ReferenceSource {
  const publicUrl = appUrl === null ? null : publicAddress(appUrl)
  let building: ReturnType<typeof buildDocument> | null = null
  const document = () => (building ??= buildDocument(routes, publicUrl))

  return {
    json: async () => (await document()).json,
    async page(origin) {
      const [{ described }, { renderReference, REFERENCE_POLICY }] = await Promise.all([
        document(),
        import('./page.ts'),
      ])
      return { html: await renderReference(described, publicUrl ?? origin), policy: REFERENCE_POLICY }
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
