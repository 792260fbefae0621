import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** Names as the build writes them. No other path is read, however it is encoded. */
const ASSET_PATH = /^\/assets\/[\w-][\w.-]*$/

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

type Asset = { bytes: Uint8Array<ArrayBuffer>; type: string; isGzip: boolean }

/** Reads a file of the build, or its compressed copy if the client accepts gzip. Null if there is no such file. */
export async function readAsset(folder: string, path: string, acceptsGzip: boolean): Promise<Asset | null> {
  const type = TYPES[extname(path)]
  if (type === undefined || !ASSET_PATH.test(path)) return null
  const file = join(folder, path)
  const compressed = acceptsGzip ? await readIfExists(`${file}.gz`) : null
  if (compressed) return { bytes: compressed, type, isGzip: true }
  const bytes = await readIfExists(file)
  return bytes && { bytes, type, isGzip: false }
}

export async function readIfExists(file: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
