import { findProgram } from './debian-package.ts'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

let found: Promise<string> | null = null

/** The path of Chromium; CHROMIUM_PATH overrides it. Installs Debian's package if it is missing. */
export function findChromium(): Promise<string> {
  found ??= find()
  return found
}

async function find(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined) return given
  return findProgram(PATHS, 'chromium').catch((error: unknown) => {
    throw new Error('Chromium is missing. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.', {
      cause: error,
    })
  })
}
