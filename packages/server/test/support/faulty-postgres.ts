import pg, { type Client } from 'pg'
import { isLate, lateBy, type Fault, type FaultSource } from './step-faults.ts'

type Sent = (...given: unknown[]) => Promise<unknown>
type Connected = (error?: Error) => void

/** The codes that a server reports, by the kind of a fault: its disk is full, a conflict, a deadlock, it stops. */
const SQLSTATES: Record<string, string> = { ENOSPC: '53100', '40001': '40001', '40P01': '40P01', '57P01': '57P01' }
/** After this one, the server closes the connection. */
const STOPS = '57P01'

/** Makes connections of the driver fail, by the name of their database, until it is restored. */
export function failPostgres(faultSourceOf: (database: string) => FaultSource | undefined): { restore(): void } {
  // The driver's methods have many overloads; the product calls them with a promise, the pool connects with a callback.
  const { query, connect } = pg.Client.prototype as unknown as { query: Sent; connect: (then?: Connected) => unknown }
  const broken = new WeakSet<Client>()
  const held = new WeakMap<Client, Promise<void>>()

  function breakOff(client: Client): void {
    broken.add(client)
    socketOf(client).destroy()
  }

  /** Queries are sent without waiting for earlier results, so what follows a late or lost one has to wait or is lost too. */
  async function fail(client: Client, fault: Fault | null, { send, call }: { send: Sent; call: string }) {
    if (broken.has(client)) throw connectionLost()
    if (fault?.when === 'late') held.set(client, lateBy(fault))
    if (fault === null || isLate(fault)) {
      await held.get(client)
      const result = await send()
      if (fault?.when === 'late reply') await lateBy(fault)
      return result
    }
    if (fault.when === 'before' && fault.kind in SQLSTATES) return report(client, { kind: fault.kind, call })
    if (fault.when === 'before') {
      breakOff(client)
      throw connectionLost()
    }
    const sent = send()
    // Half of a transaction: what follows is never sent.
    if (fault.when === 'half') broken.add(client)
    await sent
    breakOff(client)
    throw connectionLost()
  }

  /** The server itself reports the error, so that the transaction is in the state that it would be in. */
  async function report(client: Client, { kind, call }: { kind: string; call: string }): Promise<never> {
    const failed = query.call(
      client,
      `do $$ begin raise exception 'as asked' using errcode = '${SQLSTATES[kind]}'; end $$`,
    )
    // A commit that fails ends the transaction.
    const ended = call === 'commit' ? query.call(client, 'rollback') : null
    await Promise.allSettled([failed, ended])
    if (kind === STOPS) breakOff(client)
    throw await failed.catch((error: unknown) => error)
  }

  const failing = {
    query(this: Client, ...given: unknown[]) {
      const [config] = given as [string | { text?: string }]
      const text = typeof config === 'string' ? config : config.text
      const send = () => query.apply(this, given)
      if (text === undefined || typeof given.at(-1) === 'function' || text === 'rollback') return send()
      const call = callOf(text)
      const fault = faultSourceOf(this.database ?? '')?.(call) ?? null
      if (fault === null && !held.has(this) && !broken.has(this)) return send()
      return fail(this, fault, { send, call })
    },
    connect(this: Client, then?: Connected): unknown {
      const fault = faultSourceOf(this.database ?? '')?.('connect') ?? null
      if (fault === null) return connect.call(this, then)
      const late = isLate(fault) ? lateBy(fault) : Promise.reject(connectionLost())
      if (!then) return late.then(() => connect.call(this))
      return void late.then(() => connect.call(this, then), then)
    },
  }
  Object.assign(pg.Client.prototype, failing)
  return { restore: () => void Object.assign(pg.Client.prototype, { query, connect }) }
}

/** The name of a call in a plan. */
function callOf(text: string): string {
  const start = text.trimStart().toLowerCase()
  if (start.startsWith('begin')) return 'begin'
  if (start.startsWith('commit')) return 'commit'
  const isReading = /^(?:select|show|set|listen)\b/.test(start) && !/\b(?:lock_team|store_messages)\(/.test(start)
  return isReading ? 'query' : 'statement'
}

/** Not part of the driver's types. */
function socketOf(client: Client): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}

function connectionLost(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}
