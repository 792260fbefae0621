import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createPublicResolver, resolveLiteral, resolveLocalName } from './resolve-host.ts'

const A = 1
const AAAA = 28
const FOUR = [93, 184, 216, 34]
const SIX = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

test('all addresses of both families are found', async () => {
  const resolve = await startNameServer({ [A]: [FOUR, [10, 0, 0, 1]], [AAAA]: [SIX] })
  expect(await resolve('hooks.example')).toEqual([
    { address: '2606:4700::1', family: 6 },
    { address: '93.184.216.34', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ])
})

test('a name may have addresses of one family only', async () => {
  const onlyFour = await startNameServer({ [A]: [FOUR], [AAAA]: [] })
  expect(await onlyFour('hooks.example')).toEqual([{ address: '93.184.216.34', family: 4 }])
  const onlySix = await startNameServer({ [A]: [], [AAAA]: [SIX] })
  expect(await onlySix('hooks.example')).toEqual([{ address: '2606:4700::1', family: 6 }])
})

test('a name without addresses is a readable error', async () => {
  const resolve = await startNameServer({ [A]: [], [AAAA]: [] })
  await expect(resolve('hooks.example')).rejects.toMatchObject({ code: 'ENODATA' })
})

test('the hosts file applies to allowed hosts only', async () => {
  const resolve = await startNameServer({ [A]: [FOUR], [AAAA]: [] })
  expect(await resolve('localhost')).toEqual([{ address: '93.184.216.34', family: 4 }])
  expect((await resolveLocalName('localhost')).map(({ address }) => address)).toContain('127.0.0.1')
})

test('an IP address resolves to itself', () => {
  expect(resolveLiteral('10.0.0.1')).toEqual([{ address: '10.0.0.1', family: 4 }])
  expect(resolveLiteral('::1')).toEqual([{ address: '::1', family: 6 }])
  expect(resolveLiteral('hooks.example')).toBeNull()
})

/** Responds to every query with the records of its type. */
async function startNameServer(records: Record<number, number[][]>) {
  const server = createSocket('udp4')
  server.on('message', (question, { port, address }) => server.send(answerTo(question, records), port, address))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return createPublicResolver([`127.0.0.1:${server.address().port}`])
}

/** RFC 1035, section 4.1: header, the question again, and one answer per record. */
function answerTo(question: Buffer, records: Record<number, number[][]>): Buffer {
  const nameEnd = question.indexOf(0, 12) + 1
  const type = question.readUInt16BE(nameEnd)
  const found = records[type] ?? []
  const header = Buffer.from([question[0]!, question[1]!, 0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0])
  // Each refers to the name of the question by a pointer and is valid for a minute.
  const answers = found.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]))
  return Buffer.concat([header, question.subarray(12, nameEnd + 4), ...answers])
}
