import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** As the build names them; nothing else can be asked for, in whatever way it is written. */
const ASSET_PATH = /^\/assets\/[\w-][\w.-]*$/

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

type Asset = { bytes: Uint8Array<ArrayBuffer>; type: string; isGzip: boolean }

/** A file of the build, compressed as the build left it beside where that is taken; null when there is none. */
export async function readAsset(folder: string, path: string, takesGzip: boolean): Promise<Asset | null> {
  const type = TYPES[extname(path)]
  if (type === undefined || !ASSET_PATH.test(path)) return null
  const file = join(folder, path)
  const compressed = takesGzip ? await readIfThere(`${file}.gz`) : null
  if (compressed) return { bytes: compressed, type, isGzip: true }
  const bytes = await readIfThere(file)
  return bytes && { bytes, type, isGzip: false }
}

export async function readIfThere(file: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
