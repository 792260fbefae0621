import type { Context, Hono } from 'hono'
import type { ApiEnvironment } from '../app.ts'

/** Long enough for a page that loads it twice, short enough that an upgrade is seen. */
const CACHE = 'public, max-age=60'

type Ports = {
  /** The address that people use, where it is known; else the one that was asked. */
  appUrl: string | null
}

/** The API about itself. Nothing of it is loaded or made before someone asks. */
export function addReferenceRoutes(app: Hono<ApiEnvironment>, { appUrl }: Ports): void {
  const publicUrl = appUrl === null ? null : publicAddress(appUrl)
  let making: ReturnType<typeof makeDocument> | null = null
  const document = () => (making ??= makeDocument(publicUrl))

  app.get('/openapi.json', async (context) => {
    const { json } = await document()
    // It holds nothing that is not public, and tools in web pages want to read it.
    return context.body(json, 200, {
      'content-type': 'application/json',
      'cache-control': CACHE,
      'access-control-allow-origin': '*',
    })
  })

  app.get('/docs', async (context) => {
    const [{ described }, { renderReference, REFERENCE_POLICY }] = await Promise.all([
      document(),
      import('../reference-page.ts'),
    ])
    return context.body(await renderReference(described, publicUrl ?? originOf(context)), 200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': CACHE,
      'content-security-policy': REFERENCE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })
}

/** `localhost` is right only for who sits at the machine, and then it is also what was asked. */
function publicAddress(url: string): string | null {
  return new URL(url).hostname === 'localhost' ? null : url.replace(/\/+$/, '')
}

async function makeDocument(publicUrl: string | null) {
  const { describeApi } = await import('../openapi.ts')
  const described = describeApi(publicUrl)
  return { described, json: JSON.stringify(described) }
}

function originOf({ req }: Context<ApiEnvironment>): string {
  return new URL(req.url).origin
}
