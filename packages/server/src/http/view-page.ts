import { escapeValue, type CleanHtml } from '../domain/html/clean-html.ts'

/**
 * Headers for showing an untrusted document: in an origin of its own, without scripts, forms or requests.
 * `ancestors` are the origins whose pages may frame it.
 */
export function viewHeaders(options: { contentType: string; remoteImages: boolean; ancestors: string[] }) {
  const { contentType, remoteImages, ancestors } = options
  const policy = [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    `img-src data: blob:${remoteImages ? ' https:' : ''}`,
    "style-src 'unsafe-inline'",
    'font-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${["'self'", ...ancestors].join(' ')}`,
  ]
  return {
    'content-type': contentType,
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-site',
    'cache-control': 'no-store',
    // Browsers must not resolve the hosts of links before a click.
    'x-dns-prefetch-control': 'off',
  }
}

/** Wraps HTML that is already clean. The background is white, because mail is designed for white pages. */
export function mailPage({ html, isCut }: CleanHtml): string {
  return page(MAIL_STYLE, `${isCut ? CUT : ''}${html}`)
}

export function textPage(text: string, { isCut }: { isCut: boolean }): string {
  return page(TEXT_STYLE, `${isCut ? CUT : ''}<pre>${escapeValue(text)}</pre>`)
}

const CUT =
  '<p style="font: 13px system-ui, sans-serif">This message is too long to show in full. Download it to see the rest.</p>'

export function imagePage(dataUrl: string): string {
  return page(IMAGE_STYLE, `<img src="${escapeValue(dataUrl)}" alt="">`)
}

function page(style: string, body: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>Mail</title><style>${style}</style>${body}`
}

const MAIL_STYLE = `:where(body) { margin: 16px; background: #fff; color: #1a1a1a; font: 14px/1.5 system-ui, sans-serif; }`
const TEXT_STYLE = `body { margin: 16px; background: #fff; color: #1a1a1a; }
pre { margin: 0; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }`
// A pattern behind the image makes white on transparent visible.
const IMAGE_STYLE = `body { margin: 16px; background: repeating-conic-gradient(#eee 0 25%, #fff 0 50%) 0 / 16px 16px; }
img { max-width: 100%; }`
