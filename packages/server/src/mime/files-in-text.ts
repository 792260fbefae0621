import type { AttachedPart } from './content.ts'
import { describePart, type Part } from './part.ts'
import { findUuFiles, type UuFile } from './uuencode.ts'

/** Files that old programs embed in a text with uuencode. */
export function filesInText(raw: Uint8Array, part: Part, text: string | null): UuFile[] {
  const isPossible = text !== null && part.encoding === 'identity' && text.includes('begin ')
  return isPossible ? findUuFiles(raw, part.start, part.end) : []
}

export function attachedFile({ name, start, end }: UuFile): AttachedPart {
  const part = describePart([{ name: 'Content-Type', value: 'application/octet-stream' }], start)
  return { part: { ...part, end, encoding: 'uuencode' }, isRelated: false, filename: name }
}
