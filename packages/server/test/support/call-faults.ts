import { AsyncLocalStorage } from 'node:async_hooks'
import type { StoredObject } from '../../src/bucket/bucket.ts'
import { late, type Fault, type FaultSource } from './step-faults.ts'

/** How a call of a bucket or database fails. */
export const KINDS = ['error before', 'error after', 'half done', 'late', 'disk full'] as const
export type Kind = (typeof KINDS)[number]

/** The fault happens at a step of this call, after `skip` others: once, or at all later ones too. */
export type CallFault = { call: string; kind: Kind; skip: number; lasts: boolean; lateMs: number }

export type StepFault = Pick<CallFault, 'skip' | 'lasts'> & { fault: Fault }

/** Where steps of a call run outside this thread or inside a driver. */
export type Below = {
  arm(fault: StepFault): Promise<void>
  /** Resolves to the number of faults since then. */
  disarm(): Promise<number>
}

const WHEN: Record<Kind, Fault['when']> = {
  'error before': 'before',
  'error after': 'after',
  'half done': 'half',
  late: 'late',
  'disk full': 'before',
}

type Ways<Port> = {
  /** Opens the port. Its steps ask the source whether they fail. */
  open: (faultOf: FaultSource) => Port | Promise<Port>
  /** Whether the call fails as a whole, at one of its steps, or below. */
  placeOf: (call: string, kind: Kind) => 'call' | 'steps' | Below
  codeOf: (kind: Kind) => string
  fail: (code: string) => Error
}

export type FaultyPort<Port> = {
  port: Port
  /** The names of the port's own calls. */
  calls: string[]
  arm(fault: CallFault): void
  /** Resolves to the number of faults since then. */
  disarm(): Promise<number>
  /** The number of faults so far, without those below. */
  hits(): number
}

/** Ends the use of a port, or is no access to the storage. */
const NOT_FAILING = ['close', 'runStep']

/** A port whose calls fail on demand. They are found by looking at the port, so that a new one is not forgotten. */
export async function openFaultyPort<Port extends object>(ways: Ways<Port>): Promise<FaultyPort<Port>> {
  const running = new AsyncLocalStorage<string>()
  let armed: (CallFault & { seen: number; hits: number; below: Below | null }) | null = null
  const given = await ways.open(() => {
    if (!armed || running.getStore() !== armed.call || ways.placeOf(armed.call, armed.kind) !== 'steps') return null
    return happens(armed) ? faultFor(armed) : null
  })
  const methods = given as Record<string, unknown>
  const calls = Object.keys(methods).filter(
    (name) => typeof methods[name] === 'function' && !NOT_FAILING.includes(name),
  )

  function happens(fault: NonNullable<typeof armed>): boolean {
    const number = fault.seen++
    const isHit = fault.lasts ? number >= fault.skip : number === fault.skip
    if (isHit) fault.hits++
    return isHit
  }

  function faultFor({ kind, lateMs }: CallFault): Fault {
    return { when: WHEN[kind], kind: ways.codeOf(kind), lateMs }
  }

  async function run(call: string, take: () => Promise<unknown>): Promise<unknown> {
    if (armed?.call !== call) return take()
    const place = ways.placeOf(call, armed.kind)
    if (place === 'call') return happens(armed) ? failWhole(faultFor(armed), take) : take()
    if (place === 'steps' || armed.below) return take()
    armed.below = place
    await place.arm({ fault: faultFor(armed), skip: armed.skip, lasts: armed.lasts })
    return take()
  }

  async function failWhole(fault: Fault, take: () => Promise<unknown>): Promise<unknown> {
    if (fault.when === 'before') throw ways.fail(fault.kind)
    const result = await take()
    if (fault.when === 'late') return late(fault, result)
    if (fault.when === 'half' && isObject(result)) return cutInHalf(result, ways.fail(fault.kind))
    throw ways.fail(fault.kind)
  }

  const wrapped = calls.map((call) => {
    const method = methods[call] as (...args: unknown[]) => Promise<unknown>
    return [call, (...args: unknown[]) => running.run(call, () => run(call, async () => method(...args)))]
  })
  return {
    // The same methods with the same types.
    port: { ...given, ...(Object.fromEntries(wrapped) as Partial<Port>) },
    calls,
    arm(fault) {
      armed = { ...fault, seen: 0, hits: 0, below: null }
    },
    async disarm() {
      const was = armed
      armed = null
      return (was?.hits ?? 0) + ((await was?.below?.disarm()) ?? 0)
    },
    hits: () => armed?.hits ?? 0,
  }
}

function isObject(result: unknown): result is StoredObject {
  return typeof result === 'object' && result !== null && 'stream' in result
}

/** The first half of the first chunk, then an error. */
function cutInHalf({ size, stream }: StoredObject, error: Error): StoredObject {
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, chunk.byteLength / 2))
      controller.error(error)
    },
  })
  return { size, stream: stream.pipeThrough(cut) }
}
