import { decodeBytewise } from './charset.ts'
import { BOUNDARY_BYTES_MAX } from './limits.ts'

// Delimiters come early: what stands before the first one is a sentence for programs that know no parts.
const PREAMBLE_BYTES_MAX = 4 * 1024

// A line of dashes and more, and below it a header of a part.
const DELIMITER = /^--(\S[^\r\n]*)\r?\n(?=content-[a-z-]{1,40}:)/im

/** The boundary of a multipart that names none, or another one than it uses: the first line that looks like a delimiter. */
export function guessBoundary(raw: Uint8Array, start: number): string | null {
  const beginning = decodeBytewise(raw.subarray(start, start + PREAMBLE_BYTES_MAX))
  const boundary = DELIMITER.exec(beginning)?.[1]?.trimEnd()
  return boundary === undefined || boundary.length > BOUNDARY_BYTES_MAX ? null : boundary
}
