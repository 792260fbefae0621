import type { DatabaseSync } from 'node:sqlite'
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { transactionsOf, type GroupOutcome, type Outcome, type Statement, type Value } from './transactions.ts'

/** A larger group would delay its transactions too much. */
export const TRANSACTIONS_PER_COMMIT = 256

export type WriterRequest =
  | { kind: 'open'; writer: number; path: string }
  | WriteRequest
  | { kind: 'close'; writer: number }

/** Statements refer to their text by number. Each text is sent once. */
type WriteRequest = { kind: 'write'; writer: number; newTexts: string[]; group: PackedStatement[][] }

export type PackedStatement = [text: number, isRequired: boolean, ...values: Value[]]

/** The outcomes of the oldest pending transactions, in their order. */
export type WriterReply = ({ kind: 'written'; writer: number } & GroupOutcome) | { kind: 'closed'; writer: number }

/**
 * The thread side of writer.ts: opens databases and runs transactions in groups. Requests that arrive during a commit
 * form the next group, so groups grow with the load and with the latency of the disk.
 */
export function serveWriters(port: MessagePort, open: (path: string) => DatabaseSync): void {
  const connections = new Map<number, { connection: DatabaseSync; run: (group: Statement[][]) => GroupOutcome }>()
  const texts: string[] = []

  function unpack([text, isRequired, ...values]: PackedStatement): Statement {
    return { text: texts[text]!, values, isRequired }
  }

  function takeWaiting(): WriterRequest[] {
    const waiting: WriterRequest[] = []
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) waiting.push(next.message)
    return waiting
  }

  function serve(request: WriterRequest): void {
    const { kind, writer } = request
    if (kind === 'open') {
      const connection = open(request.path)
      connections.set(writer, { connection, run: transactionsOf(connection) })
      return
    }
    const { connection, run } = connections.get(writer)!
    if (kind === 'write') {
      const { outcomes, commitMs } = run(request.group.map((packed) => packed.map(unpack)))
      reply({ kind: 'written', writer, outcomes: outcomes.map(plainOutcome), commitMs })
    } else {
      connection.close()
      connections.delete(writer)
      reply({ kind: 'closed', writer })
    }
  }

  function reply(message: WriterReply): void {
    port.postMessage(message)
  }

  port.on('message', (first: WriterRequest) => {
    const requests = [first, ...takeWaiting()]
    for (const request of requests) if (request.kind === 'write') texts.push(...request.newTexts)
    for (const request of joinWrites(requests)) serve(request)
  })
}

/** Merges all writes to one database into one group up to the limit. The order between databases does not matter. */
function joinWrites(requests: WriterRequest[]): WriterRequest[] {
  const joined: WriterRequest[] = []
  const latest = new Map<number, WriteRequest>()
  for (const request of requests) {
    const earlier = latest.get(request.writer)
    if (request.kind === 'write' && earlier && fitTogether(earlier, request)) {
      earlier.group.push(...request.group)
    } else {
      joined.push(request)
      if (request.kind === 'write') latest.set(request.writer, request)
    }
  }
  return joined
}

function fitTogether(one: WriteRequest, other: WriteRequest): boolean {
  return one.group.length + other.group.length <= TRANSACTIONS_PER_COMMIT
}

/** Custom properties of an error, such as SQLite's code, get lost between threads. */
function plainOutcome(outcome: Outcome): Outcome {
  if ('results' in outcome || !(outcome.error instanceof Error)) return outcome
  const { message } = outcome.error
  return { error: { message, ...('errcode' in outcome.error && { errcode: outcome.error.errcode }) } }
}
