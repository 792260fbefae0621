import { findProgram } from './debian-package.ts'

// The same browser without a user interface takes half the processor time.
const HEADLESS = 'chromium-headless-shell'
const PATHS = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`)

let found: Promise<string> | null = null

/** The path of Chromium; CHROMIUM_PATH overrides it. Installs Debian's package if it is missing. */
export function findChromium(): Promise<string> {
  found ??= find()
  return found
}

async function find(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined) return given
  return findProgram(PATHS, HEADLESS).catch((error: unknown) => {
    throw new Error(`Chromium is missing. Install it (Debian: apt-get install ${HEADLESS}) or set CHROMIUM_PATH.`, {
      cause: error,
    })
  })
}
