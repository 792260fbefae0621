import type { ReferenceSource } from '../routes/ports.ts'
import type { Route } from '../routes/route.ts'

type Ports = {
  /** The address that people use, where it is known; else the one that was asked. */
  appUrl: string | null
}

/** The API about itself. Nothing of it is loaded or made before the first request for it. */
export function createReference({ appUrl }: Ports, routes: Route[]): ReferenceSource {
  const publicUrl = appUrl === null ? null : publicAddress(appUrl)
  let making: ReturnType<typeof makeDocument> | null = null
  const document = () => (making ??= makeDocument(routes, publicUrl))

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

/** `localhost` is right only for who sits at the machine, and then it is also what was asked. */
function publicAddress(url: string): string | null {
  return new URL(url).hostname === 'localhost' ? null : url.replace(/\/+$/, '')
}

async function makeDocument(routes: Route[], publicUrl: string | null) {
  const { describeApi } = await import('./openapi.ts')
  const described = describeApi(routes, publicUrl)
  return { described, json: JSON.stringify(described) }
}
