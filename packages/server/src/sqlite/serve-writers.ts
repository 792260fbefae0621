import type { DatabaseSync } from 'node:sqlite'
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { transactionsOf, type Outcome, type Statement, type Value } from './transactions.ts'

/** A larger group would keep those who wait for it waiting too long. */
export const TRANSACTIONS_PER_COMMIT = 256

export type WriterRequest =
  | { kind: 'open'; writer: number; path: string }
  | WriteRequest
  | { kind: 'close'; writer: number }

/** Statements name their text by number; each text comes along once. */
type WriteRequest = { kind: 'write'; writer: number; newTexts: string[]; group: PackedStatement[][] }

export type PackedStatement = [text: number, isRequired: boolean, ...values: Value[]]

/** The outcomes of the transactions that were asked for first, in their order. */
export type WriterReply = { kind: 'written'; writer: number; outcomes: Outcome[] } | { kind: 'closed'; writer: number }

/**
 * The thread's side of writer.ts: opens databases and runs transactions, one group after another. What has come while
 * a group was committed is the next one: the busier it is, or the slower the disk, the larger the groups.
 */
export function serveWriters(port: MessagePort, open: (path: string) => DatabaseSync): void {
  const connections = new Map<number, { connection: DatabaseSync; run: (group: Statement[][]) => Outcome[] }>()
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
      const outcomes = run(request.group.map((packed) => packed.map(unpack))).map(plainOutcome)
      reply({ kind: 'written', writer, outcomes })
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

/** All writes to one database in one group, as far as they fit; in which order databases have their turn is all one. */
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

/** An error loses its own properties on the way between threads, and SQLite's code is one of them. */
function plainOutcome(outcome: Outcome): Outcome {
  if ('results' in outcome || !(outcome.error instanceof Error)) return outcome
  const { message } = outcome.error
  return { error: { message, ...('errcode' in outcome.error && { errcode: outcome.error.errcode }) } }
}
