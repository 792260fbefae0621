import { join } from 'node:path'
import { readIfExists } from './dashboard-assets.ts'

/** Placeholders for values that differ per response. packages/dashboard/index.html contains them too. */
const NONCE = /MAILHATCH_NONCE/g
const BASE_PATH = /MAILHATCH_BASE/g
const RELATIVE_ASSETS = /(?<=(?:src|href)=")\.\/(?=assets\/)/g

/** Reads the document that all pages share. Null if the dashboard is not built yet. */
export async function readPage(folder: string): Promise<string | null> {
  const bytes = await readIfExists(join(folder, 'index.html'))
  return bytes && new TextDecoder().decode(bytes)
}

export function fillPage(page: string, { nonce, basePath }: { nonce: string; basePath: string }): string {
  return page
    .replaceAll(NONCE, nonce)
    .replaceAll(BASE_PATH, () => basePath)
    .replaceAll(RELATIVE_ASSETS, () => `${basePath}/`)
}

/** In a clone, the first start builds the dashboard while mail and the API already work. */
export const NO_BUILD_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="refresh" content="1" />
    <title>Mailhatch</title>
  </head>
  <body>
    <h1>The dashboard is being built</h1>
    <p>This takes a few seconds, and then this page reloads. Mail and the API already work.</p>
    <p>If this page stays, look for an error in the output of the server, or run <code>npm run build</code>.</p>
  </body>
</html>
`
