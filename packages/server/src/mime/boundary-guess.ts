import { decodeBytewise } from './charset.ts'
import { BOUNDARY_BYTES_MAX } from './limits.ts'

// Delimiters come early: before the first one there is at most a sentence for programs without MIME.
const PREAMBLE_BYTES_MAX = 4 * 1024

// A line that starts with dashes, followed by a header of a part.
const DELIMITER = /^--(\S[^\r\n]*)\r?\n(?=content-[a-z-]{1,40}:)/im

/** For a multipart whose boundary is missing or wrong: uses the first line that looks like a delimiter. */
export function guessBoundary(raw: Uint8Array, start: number): string | null {
  const beginning = decodeBytewise(raw.subarray(start, start + PREAMBLE_BYTES_MAX))
  const boundary = DELIMITER.exec(beginning)?.[1]?.trimEnd()
  return boundary === undefined || boundary.length > BOUNDARY_BYTES_MAX ? null : boundary
}
