import { vi } from 'vitest'

/** Vitest's default timeout for a condition is one second, which is too short on a busy machine. */
const PATIENCE_MS = 60_000

type Options = number | { timeout?: number; interval?: number }

const { waitFor, waitUntil } = vi

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))

function patient(options: Options | undefined): Options {
  return typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options }
}
