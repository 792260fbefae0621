const LINE_FEED = 10
const SPACE = 32
const ZERO = 48

/** Calls back with the code of each complete SMTP reply. Ignores the text of the replies. */
export function createReplyReader(onReply: (code: number) => void): (bytes: Uint8Array, length: number) => void {
  let column = 0
  let code = 0
  let isLastLine = false
  return (bytes, length) => {
    for (let index = 0; index < length; index++) {
      const byte = bytes[index]!
      if (byte === LINE_FEED) {
        const finished = isLastLine ? code : null
        column = 0
        code = 0
        isLastLine = false
        if (finished !== null) onReply(finished)
        continue
      }
      if (column < 3) code = code * 10 + byte - ZERO
      else if (column === 3) isLastLine = byte === SPACE
      column++
    }
  }
}
