import { join } from 'node:path'
import { readIfThere } from './dashboard-assets.ts'

/** Written by the build where each answer has another value; packages/dashboard/index.html knows them too. */
const NONCE = /MAILHATCH_NONCE/g
const BASE_PATH = /MAILHATCH_BASE/g
const RELATIVE_ASSETS = /(?<=(?:src|href)=")\.\/(?=assets\/)/g

/** The one document of all pages, as it was built; null when it is not. */
export async function readPage(folder: string): Promise<string | null> {
  const bytes = await readIfThere(join(folder, 'index.html'))
  return bytes && new TextDecoder().decode(bytes)
}

export function fillPage(page: string, { nonce, basePath }: { nonce: string; basePath: string }): string {
  return page
    .replaceAll(NONCE, nonce)
    .replaceAll(BASE_PATH, () => basePath)
    .replaceAll(RELATIVE_ASSETS, () => `${basePath}/`)
}

/** In a clone, the first start builds the dashboard while everything else works already. */
export const BEING_BUILT_PAGE = `<!doctype html>
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
    <p>This takes some seconds; the page then opens by itself. Mail and the API work already.</p>
    <p>If it stays so, the server has printed why. <code>npm run build</code> builds it by hand.</p>
  </body>
</html>
`
