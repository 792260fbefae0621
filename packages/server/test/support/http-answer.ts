export type HttpAnswer = {
  status: number
  /** By lower-case name; values of a repeated header are joined. */
  headers: Map<string, string>
  body: Buffer
  /** The response never ends by design; `body` is what has arrived. */
  isEventStream: boolean
  isConnectionKept: boolean
  /** How many of the received bytes belong to it. */
  length: number
}

/** The response violates HTTP/1.1 (RFC 9112). */
export class MalformedAnswer extends Error {}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\t\x20-\x7e]*$/
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/
const HEAD_END = '\r\n\r\n'

/** The first complete response among the received bytes, or null if it is incomplete. */
export function parseAnswer(
  received: Buffer,
  { isHead, isClosed }: { isHead: boolean; isClosed: boolean },
): HttpAnswer | null {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return null
  const { status, headers } = parseHead(received.toString('latin1', 0, headEnd))
  const bodyStart = headEnd + HEAD_END.length
  if (status < 200) {
    const final = parseAnswer(received.subarray(bodyStart), { isHead, isClosed })
    return final && { ...final, length: final.length + bodyStart }
  }
  const isConnectionKept = headers.get('connection')?.toLowerCase() !== 'close'
  const isEventStream =
    !isHead && status === 200 && headers.get('content-type')?.startsWith('text/event-stream') === true
  const rest = received.subarray(bodyStart)
  const body =
    isHead || status === 204 || status === 304 ? { bytes: Buffer.alloc(0), length: 0 } : bodyIn(rest, headers, isClosed)
  if (isEventStream)
    return { status, headers, body: rest, isEventStream, isConnectionKept: false, length: received.length }
  return body && { status, headers, body: body.bytes, isEventStream, isConnectionKept, length: bodyStart + body.length }
}

function parseHead(head: string): Pick<HttpAnswer, 'status' | 'headers'> {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const status = STATUS_LINE.exec(statusLine)?.[1]
  if (status === undefined) throw new MalformedAnswer(`status line ${JSON.stringify(statusLine)}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? []
    if (name === undefined || value === undefined) throw new MalformedAnswer(`header line ${JSON.stringify(line)}`)
    const earlier = headers.get(name.toLowerCase())
    headers.set(name.toLowerCase(), earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return { status: Number(status), headers }
}

type Body = { bytes: Buffer; length: number }

function bodyIn(rest: Buffer, headers: Map<string, string>, isClosed: boolean): Body | null {
  const declared = headers.get('content-length')
  const coding = headers.get('transfer-encoding')
  if (declared !== undefined && coding !== undefined) throw new MalformedAnswer('two ways to find the end of the body')
  if (coding === 'chunked') return chunkedBody(rest)
  if (coding !== undefined) throw new MalformedAnswer(`transfer coding ${coding}`)
  if (declared === undefined) return isClosed ? { bytes: rest, length: rest.length } : null
  if (!/^\d+$/.test(declared)) throw new MalformedAnswer(`content length ${declared}`)
  const length = Number(declared)
  return rest.length < length ? null : { bytes: rest.subarray(0, length), length }
}

function chunkedBody(rest: Buffer): Body | null {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const size = rest.toString('latin1', at, lineEnd)
    if (!/^[\da-f]+$/i.test(size)) throw new MalformedAnswer(`chunk size ${JSON.stringify(size)}`)
    const start = lineEnd + 2
    const end = start + Number.parseInt(size, 16)
    if (rest.length < end + 2) return null
    if (rest.toString('latin1', end, end + 2) !== '\r\n') throw new MalformedAnswer('a chunk without its end')
    if (end === start) return { bytes: Buffer.concat(chunks), length: end + 2 }
    chunks.push(rest.subarray(start, end))
    at = end + 2
  }
}
