import { decodeWords } from 'postal-mime'
import { ENCODED_WORD_CHARS_MAX } from './limits.ts'

/** Decodes RFC 2047 encoded words, up to a limit for the whole mail; the text beyond it is returned as it is. */
export type WordDecoder = { decode(text: string): string; isExhausted(): boolean }

export function createWordDecoder(): WordDecoder {
  let charsLeft = ENCODED_WORD_CHARS_MAX
  return {
    decode(text) {
      if (!text.includes('=?')) return text
      charsLeft -= text.length
      return charsLeft < 0 ? text : decodeWords(text)
    },
    isExhausted: () => charsLeft < 0,
  }
}
