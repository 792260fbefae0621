import { randomBytes } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { ApiEnvironment } from './environment.ts'
import { basePathOf } from './base-path.ts'
import { readAsset } from './dashboard-assets.ts'
import { BEING_BUILT_PAGE, fillPage, readPage } from './dashboard-page.ts'

/** What is served here by others, so that a wrong address below them is told in their words and not by a page. */
const NOT_PAGES =
  /^\/(?:v1|trpc|auth|app|webhooks|health|ready|openapi\.json|docs|metrics|mcp|view|billing|assets)(?:\/|$)/i

/** Their names change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

type Ports = {
  appUrl: string
  /** Where its build lies, or will. */
  dashboardFolder: string
}

/** The dashboard, whose pages all are one document. Added last: what another route takes never comes here. */
export function addDashboard(app: Hono<ApiEnvironment>, { appUrl, dashboardFolder }: Ports): void {
  app.use(async (context, next) => {
    const { method, path } = context.req
    if (method !== 'GET' && method !== 'HEAD') return next()
    if (path.startsWith('/assets/')) return (await answerAsset(context, dashboardFolder)) ?? next()
    return isPage(context) ? answerPage(context, { appUrl, dashboardFolder }) : next()
  })
}

/** Programs that ask for what is not there are told so; people are told by the dashboard. */
function isPage({ req }: Context<ApiEnvironment>): boolean {
  if (req.path === '/') return true
  return !NOT_PAGES.test(req.path) && (req.header('accept')?.includes('text/html') ?? false)
}

async function answerAsset(context: Context<ApiEnvironment>, folder: string): Promise<Response | null> {
  const takesGzip = context.req.header('accept-encoding')?.includes('gzip') ?? false
  const asset = await readAsset(folder, context.req.path, takesGzip)
  if (!asset) return null
  return context.body(asset.bytes, 200, {
    'content-type': asset.type,
    'cache-control': FOR_EVER,
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(asset.isGzip && { 'content-encoding': 'gzip' }),
  })
}

async function answerPage(context: Context<ApiEnvironment>, { appUrl, dashboardFolder }: Ports): Promise<Response> {
  const page = await readPage(dashboardFolder)
  const nonce = randomBytes(16).toString('base64')
  const headers = { ...pageHeaders(nonce), 'content-type': 'text/html; charset=utf-8' }
  if (page === null) return context.body(BEING_BUILT_PAGE, 503, { ...headers, 'retry-after': '1' })
  return context.body(fillPage(page, { nonce, basePath: basePathOf(appUrl) }), 200, headers)
}

function pageHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    // Mail is shown in a frame, from /view, with a much stricter policy of its own.
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // No text may become markup or code, whatever a library would do with it.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // Addresses of pages hold one-time tokens and names of test mail, which are nobody else's business. Not `no-referrer`:
    // with it some browsers do not name the origin of what we post, which sessions need.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}
