import type { DatabaseSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import { transactionsOf, type Outcome, type Statement, type Value } from './transactions.ts'

export type WriterRequest =
  | { kind: 'open'; writer: number; path: string }
  /** Statements name their text by number; each text comes along once. */
  | { kind: 'write'; writer: number; newTexts: string[]; group: PackedStatement[][] }
  | { kind: 'close'; writer: number }

export type PackedStatement = [text: number, isRequired: boolean, ...values: Value[]]

export type WriterReply = { writer: number; outcomes: Outcome[] }

/** The thread's side of writer.ts: opens databases and runs groups of transactions, one after another. */
export function serveWriters(port: MessagePort, open: (path: string) => DatabaseSync): void {
  const connections = new Map<number, { connection: DatabaseSync; run: (group: Statement[][]) => Outcome[] }>()
  const texts: string[] = []

  function unpack([text, isRequired, ...values]: PackedStatement): Statement {
    return { text: texts[text]!, values, isRequired }
  }

  function serve(request: WriterRequest): Outcome[] {
    if (request.kind === 'open') {
      const connection = open(request.path)
      connections.set(request.writer, { connection, run: transactionsOf(connection) })
      return []
    }
    const { connection, run } = connections.get(request.writer)!
    if (request.kind === 'write') {
      texts.push(...request.newTexts)
      return run(request.group.map((packed) => packed.map(unpack))).map(plainOutcome)
    }
    connection.close()
    connections.delete(request.writer)
    return []
  }

  port.on('message', (request: WriterRequest) => {
    const reply: WriterReply = { writer: request.writer, outcomes: serve(request) }
    port.postMessage(reply)
  })
}

/** An error loses its own properties on the way between threads, and SQLite's code is one of them. */
function plainOutcome(outcome: Outcome): Outcome {
  if ('results' in outcome || !(outcome.error instanceof Error)) return outcome
  const { message } = outcome.error
  return { error: { message, ...('errcode' in outcome.error && { errcode: outcome.error.errcode }) } }
}
