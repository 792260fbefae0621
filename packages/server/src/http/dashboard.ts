import { randomBytes } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { ApiEnvironment } from './environment.ts'
import { basePathOf } from './base-path.ts'
import { readAsset } from './dashboard-assets.ts'
import { NO_BUILD_PAGE, fillPage, readPage } from './dashboard-page.ts'

/** Paths of other routes. An unknown path below them gets a JSON error instead of a page. */
const NOT_PAGES =
  /^\/(?:v1|trpc|auth|app|webhooks|health|ready|openapi\.json|docs|metrics|mcp|view|billing|assets)(?:\/|$)/i

/** The name of an asset changes with its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

type Ports = {
  appUrl: string
  /** The folder of the built dashboard, which may not exist yet. */
  dashboardFolder: string
}

/** Serves the dashboard, whose pages share one document. Must be added last, so that other routes come first. */
export function addDashboard(app: Hono<ApiEnvironment>, { appUrl, dashboardFolder }: Ports): void {
  app.use(async (context, next) => {
    const { method, path } = context.req
    if (method !== 'GET' && method !== 'HEAD') return next()
    if (path.startsWith('/assets/')) return (await answerAsset(context, dashboardFolder)) ?? next()
    return isPage(context) ? answerPage(context, { appUrl, dashboardFolder }) : next()
  })
}

/** On an unknown path, browsers get the dashboard with its own error page, and programs get a 404. */
function isPage({ req }: Context<ApiEnvironment>): boolean {
  if (req.path === '/') return true
  return !NOT_PAGES.test(req.path) && (req.header('accept')?.includes('text/html') ?? false)
}

async function answerAsset(context: Context<ApiEnvironment>, folder: string): Promise<Response | null> {
  const acceptsGzip = context.req.header('accept-encoding')?.includes('gzip') ?? false
  const asset = await readAsset(folder, context.req.path, acceptsGzip)
  if (!asset) return null
  return context.body(asset.bytes, 200, {
    'content-type': asset.type,
    'cache-control': IMMUTABLE,
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(asset.isGzip && { 'content-encoding': 'gzip' }),
  })
}

async function answerPage(context: Context<ApiEnvironment>, { appUrl, dashboardFolder }: Ports): Promise<Response> {
  const page = await readPage(dashboardFolder)
  const nonce = randomBytes(16).toString('base64')
  const headers = { ...pageHeaders(nonce), 'content-type': 'text/html; charset=utf-8' }
  if (page === null) return context.body(NO_BUILD_PAGE, 503, { ...headers, 'retry-after': '1' })
  return context.body(fillPage(page, { nonce, basePath: basePathOf(appUrl) }), 200, headers)
}

function pageHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    // Mail is shown in a frame from /view, which has a much stricter policy.
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Prevents libraries from turning text into markup or code.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // URLs of pages contain one-time tokens and names of test mail, which other sites must not see. Not `no-referrer`:
    // with it, some browsers omit the Origin header that sessions require.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}
