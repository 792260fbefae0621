const END_OF_HEAD = '\r\n\r\n'
const END_OF_LINE = '\r\n'
const STATUS_START = 'HTTP/1.1 '.length

export type OnAnswer = (status: number, body: Buffer) => void

type Answer = { status: number; body: Buffer; total: number }

/** Calls back with each complete HTTP response. The body may be a view that is valid only during the call. */
export function createAnswerReader(onAnswer: OnAnswer): (chunk: Buffer) => void {
  let rest: Buffer | null = null

  return (chunk) => {
    let bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    rest = null
    while (bytes.length > 0) {
      const answer = readAnswer(bytes)
      if (answer === null) {
        // Copied, because the chunk is a view of the socket's buffer.
        rest = Buffer.from(bytes)
        return
      }
      bytes = bytes.subarray(answer.total)
      onAnswer(answer.status, answer.body)
    }
  }
}

/** Null if it is not complete. */
function readAnswer(bytes: Buffer): Answer | null {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return null
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(STATUS_START, STATUS_START + 3))
  const start = end + END_OF_HEAD.length
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length !== undefined) {
    const total = start + Number(length)
    return total > bytes.length ? null : { status, body: bytes.subarray(start, total), total }
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error('A response has neither a length nor chunks.')
  const chunked = readChunks(bytes, start)
  return chunked && { status, ...chunked }
}

/** Each chunk has its length in hexadecimal digits before it; the last one is empty. */
function readChunks(bytes: Buffer, start: number): { body: Buffer; total: number } | null {
  const chunks: Buffer[] = []
  for (let at = start; ;) {
    const end = bytes.indexOf(END_OF_LINE, at)
    if (end === -1) return null
    const from = end + END_OF_LINE.length
    const to = from + Number.parseInt(bytes.toString('latin1', at, end), 16)
    at = to + END_OF_LINE.length
    if (at > bytes.length) return null
    if (from === to) return { body: Buffer.concat(chunks), total: at }
    chunks.push(bytes.subarray(from, to))
  }
}
