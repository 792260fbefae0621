import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** The addresses of a name, and the names that its CNAME records lead through. */
export type NameAnswer = { addresses: string[]; aliases?: string[] }

const A = 1
const CNAME = 5
const AAAA = 28

/**
 * A DNS server for names below `.example`. The first question for a name, once per type of record, gets the first answer,
 * the next one the second, and all later ones the last. Answers are valid for no time.
 */
export async function startNameServer(port: number, host = '127.0.0.1') {
  const names = new Map<string, NameAnswer[]>()
  const asked = new Map<string, number>()
  const server = createSocket('udp4')
  server.on('message', (question, from) => {
    const { name, type } = read(question)
    const times = asked.get(`${name} ${type}`) ?? 0
    asked.set(`${name} ${type}`, times + 1)
    const answers = names.get(name) ?? []
    server.send(answerTo(question, type, answers[times] ?? answers.at(-1)), from.port, from.address)
  })
  server.bind(port, host)
  await once(server, 'listening')
  return {
    /** From now on. The first question starts with the first answer again. */
    answer(name: string, answers: NameAnswer[]): void {
      names.set(name, answers)
      for (const type of [A, AAAA]) asked.delete(`${name} ${type}`)
    },
    /** How often the IPv4 addresses of the name were asked for. */
    timesAsked: (name: string) => asked.get(`${name} ${A}`) ?? 0,
  }
}

/** RFC 1035, section 4.1.2. */
function read(question: Buffer): { name: string; type: number } {
  const labels: string[] = []
  let at = 12
  while (question[at] !== 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
    at += question[at]! + 1
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1) }
}

function answerTo(question: Buffer, type: number, answer: NameAnswer | undefined): Buffer {
  const { addresses = [], aliases = [] } = answer ?? {}
  const records: Buffer[] = []
  // The name of the question, by a pointer.
  let owner: Buffer = Buffer.from([0xc0, 12])
  for (const alias of aliases) {
    records.push(record(owner, CNAME, nameBytes(alias)))
    owner = nameBytes(alias)
  }
  const fitting = addresses.filter((address) => type === (isIPv6(address) ? AAAA : A))
  for (const address of fitting) records.push(record(owner, type, addressBytes(address)))
  const header = Buffer.from([question[0]!, question[1]!, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0])
  const nameEnd = question.indexOf(0, 12) + 1
  return Buffer.concat([header, question.subarray(12, nameEnd + 4), ...records])
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  return Buffer.concat([owner, Buffer.from([0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]), data])
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ])
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const [left = [], right = []] = address.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const groups = [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]))
}
