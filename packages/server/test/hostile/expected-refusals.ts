// Which mail SMTP has to refuse because of its content. Written apart from the product, so that it can tell when the product
// refuses mail that keeps every limit.

const MIB = 1024 * 1024
/** The default of SMTP_MAX_SIZE. */
export const SIZE_BYTES_MAX = 25 * MIB
/** Including the line end. Only for mail that is sent with DATA: binary chunks have no lines. */
const LINE_BYTES_MAX = MIB
const RECEIVED_FIELDS_MAX = 50
/** Fields behind them are not counted. */
const HEADER_BYTES_MAX = 256 * 1024
const LF = 0x0a

type Limits = { sizeBytesMax: number }

/** The beginnings of the replies that may refuse this mail. Every other mail has to be accepted. */
export function expectedRefusals(raw: Buffer, { sizeBytesMax }: Limits): string[] {
  const replies: string[] = []
  if (raw.length > sizeBytesMax) replies.push('552 5.3.4 ')
  if (receivedFieldsIn(raw) > RECEIVED_FIELDS_MAX) replies.push('554 5.4.6 ')
  if (raw.subarray(-2).toString('latin1') === '\r\n' && longestLineBytes(raw) > LINE_BYTES_MAX)
    replies.push('554 5.6.0 ')
  return replies
}

function receivedFieldsIn(raw: Buffer): number {
  const lines = raw.toString('latin1', 0, HEADER_BYTES_MAX).split('\n')
  const end = lines.findIndex((line) => line === '' || line === '\r')
  return lines.slice(0, end === -1 ? undefined : end).filter((line) => /^received:/i.test(line)).length
}

function longestLineBytes(raw: Buffer): number {
  let longest = 0
  let start = 0
  for (let end = raw.indexOf(LF); end !== -1; end = raw.indexOf(LF, start)) {
    longest = Math.max(longest, end + 1 - start)
    start = end + 1
  }
  return Math.max(longest, raw.length - start)
}
