const END_OF_HEAD = '\r\n\r\n'
const STATUS_START = 'HTTP/1.1 '.length

export type OnAnswer = (status: number, body: Buffer) => void

/** Calls back with each complete HTTP response. The body is a view that is valid only during the call. */
export function createAnswerReader(onAnswer: OnAnswer): (chunk: Buffer) => void {
  let rest: Buffer | null = null

  return (chunk) => {
    let bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    rest = null
    while (bytes.length > 0) {
      const end = endOfAnswer(bytes)
      if (end === null || end.total > bytes.length) {
        // Copied, because the chunk is a view of the socket's buffer.
        rest = Buffer.from(bytes)
        return
      }
      const answer = bytes
      bytes = bytes.subarray(end.total)
      onAnswer(end.status, answer.subarray(end.head, end.total))
    }
  }
}

function endOfAnswer(bytes: Buffer): { status: number; head: number; total: number } | null {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return null
  const head = bytes.toString('latin1', 0, end)
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length === undefined) throw new Error('Responses without content-length are not supported.')
  const start = end + END_OF_HEAD.length
  return { status: Number(head.slice(STATUS_START, STATUS_START + 3)), head: start, total: start + Number(length) }
}
