import { describe, expect, test } from 'vitest'
import type { Fault, FaultPlan } from '../../test/support/step-faults.ts'
import type { Place } from './bucket-contract.ts'
import { bytesOf, type Body, type Bucket } from './bucket.ts'

/** A place whose bucket can be made to fail at any step it takes. */
export type FaultyPlace = Pick<Place, 'open' | 'unfinishedUploads'> & {
  arm: (plan: FaultPlan) => Promise<void>
  /** How many steps there were since. */
  disarm: () => Promise<number>
  /** The least that is stored in parts. */
  largeBytes: number
}

const OLD = bytes('old')
const NEW = bytes('new')
type Scenario = {
  name: string
  /** What is there before, by key. */
  before: Record<string, Body>
  act: (bucket: Bucket, key: (name: string) => string) => Promise<void>
  /** What is there when all goes well. */
  after: Record<string, Body>
}

const SCENARIOS: Scenario[] = [
  {
    name: 'an overwrite',
    before: { a: OLD },
    act: (bucket, key) => bucket.put([{ key: key('a'), body: NEW }]),
    after: { a: NEW },
  },
  {
    name: 'an overwrite together with new objects',
    before: { a: OLD },
    act: (bucket, key) => bucket.put(['b', 'a', 'c'].map((name) => ({ key: key(name), body: NEW }))),
    after: { a: NEW, b: NEW, c: NEW },
  },
  {
    name: 'new objects',
    before: {},
    act: (bucket, key) => bucket.put(['a', 'b'].map((name) => ({ key: key(name), body: NEW }))),
    after: { a: NEW, b: NEW },
  },
  {
    name: 'new objects that need no look',
    before: {},
    act: (bucket, key) =>
      bucket.put(
        ['a', 'b'].map((name) => ({ key: key(name), body: NEW })),
        { keysAreNew: true },
      ),
    after: { a: NEW, b: NEW },
  },
  {
    name: 'a move',
    before: { a: OLD },
    act: (bucket, key) => bucket.move(key('a'), { key: key('b'), body: NEW }),
    after: { b: NEW },
  },
  {
    name: 'a move to a key that is there',
    before: { a: OLD, b: OLD },
    act: (bucket, key) => bucket.move(key('a'), { key: key('b'), body: NEW }),
    after: { b: NEW },
  },
  {
    name: 'a move to its own key',
    before: { a: OLD },
    act: (bucket, key) => bucket.move(key('a'), { key: key('a'), body: NEW }),
    after: { a: NEW },
  },
]

function overwriteWithLarge(size: number): Scenario {
  const body: Body = {
    size,
    async *chunks() {
      for (const half of [Math.floor(size / 2), Math.ceil(size / 2)]) yield new Uint8Array(half).fill(7)
    },
  }
  return {
    name: 'an overwrite with a large body',
    before: { a: OLD },
    act: (bucket, key) => bucket.put([{ key: key('a'), body }]),
    after: { a: body },
  }
}

const LASTING = ['once', 'step', 'all'] as const

type FaultSet = {
  faults: Fault[]
  /** A large body is sent in full for each case. */
  faultsOfLarge: Fault[]
  lasting?: readonly FaultPlan['lasts'][]
}

/** What every bucket must keep when a step fails, whichever it is and however. */
export function describeFaults(name: string, set: FaultSet, place: () => FaultyPlace): void {
  describe(`${name}: a fault at each step`, () => {
    test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('of %s', async (_, scenario) => {
      const { problems, rejected, cases } = await tryAll(place(), scenario, set)
      expect(problems).toEqual([])
      expect(rejected).toBeGreaterThan(0)
      expect(cases).toBeGreaterThan(set.faults.length)
    })

    test('of an overwrite with a large body', async () => {
      const there = place()
      const scenario = overwriteWithLarge(there.largeBytes)
      const { problems, rejected } = await tryAll(there, scenario, { ...set, faults: set.faultsOfLarge })
      expect(problems).toEqual([])
      expect(rejected).toBeGreaterThan(0)
    })

    test('would be noticed if the undo removed what it did not create', async () => {
      const { problems } = await tryAll(place(), SCENARIOS[0]!, set, removingAll)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems[0]).toContain('a is gone')
    })
  })
}

async function tryAll(
  place: FaultyPlace,
  scenario: Scenario,
  { faults, lasting = LASTING }: FaultSet,
  wrap: (bucket: Bucket) => Bucket = (bucket) => bucket,
) {
  const bucket = wrap(await place.open())
  const problems: string[] = []
  let [cases, rejected] = [0, 0]

  async function attempt(plan: FaultPlan): Promise<number> {
    const tried = await tryOnce(place, bucket, scenario, { plan, number: cases++ })
    if (tried.isRejected) rejected++
    const { at, fault, lasts } = plan
    problems.push(...tried.problems.map((problem) => `step ${at}, ${fault.when} ${fault.kind}, ${lasts}: ${problem}`))
    return tried.steps
  }

  // Without a fault first, which counts the steps.
  const steps = await attempt({ at: Infinity, fault: faults[0]!, lasts: 'once' })
  for (const fault of faults) {
    for (const lasts of lasting) {
      for (let at = 0; at < steps; at++) await attempt({ at, fault, lasts })
    }
  }
  await bucket.close()
  return { problems, rejected, cases }
}

type Case = { plan: FaultPlan; number: number }

async function tryOnce(place: FaultyPlace, bucket: Bucket, scenario: Scenario, { plan, number }: Case) {
  const keyOf = (name: string) => `messages/case-${number}/${name}`
  const names = Object.keys({ ...scenario.before, ...scenario.after })
  const objects = Object.entries(scenario.before).map(([name, body]) => ({ key: keyOf(name), body }))
  if (objects.length > 0) await bucket.put(objects)
  const unfinished = (await place.unfinishedUploads()).length
  await place.arm(plan)
  const error: unknown = await scenario.act(bucket, keyOf).then(
    () => null,
    (thrown: unknown) => thrown ?? 'rejected',
  )
  const steps = await place.disarm()
  const problems: string[] = []
  const mayBeLeft = plan.lasts === 'all' || plan.fault.when !== 'before'
  let present = 0
  for (const name of names) {
    const found = await describeObject(bucket, keyOf(name))
    if (found) present++
    const [old, fresh] = [describeBody(scenario.before[name]), describeBody(scenario.after[name])]
    const isGone = found === null && old !== null && fresh !== null
    if (isGone) problems.push(`${name} is gone`)
    else if (error === null && found !== fresh) problems.push(`${name} is ${found} after success`)
    else if (found !== old && found !== fresh) problems.push(`${name} is ${found}`)
    else if (error && old === null && found !== null && !mayBeLeft && Object.keys(scenario.before).length === 0)
      problems.push(`${name} was left behind`)
  }
  if (present === 0 && objects.length > 0) problems.push('all is gone')
  if (!mayBeLeft && (await place.unfinishedUploads()).length > unfinished) problems.push('an upload was left behind')
  // Once the trouble is over, the same call brings about what it should have.
  await scenario.act(bucket, keyOf)
  for (const name of names) {
    const found = await describeObject(bucket, keyOf(name))
    if (found !== describeBody(scenario.after[name])) problems.push(`${name} is ${found} in the end`)
  }
  return { problems, steps, isRejected: error !== null }
}

async function describeObject(bucket: Bucket, key: string): Promise<string | null> {
  const object = await bucket.get(key)
  return object && describeBody(await bytesOf(object))
}

function describeBody(body: Body | undefined): string | null {
  if (body === undefined) return null
  if (!(body instanceof Uint8Array)) return `${body.size} bytes of 7`
  if (body.byteLength < 100) return new TextDecoder().decode(body)
  return `${body.byteLength} bytes of ${body.every((byte) => byte === body[0]) ? body[0] : 'all kinds'}`
}

/** How buckets once undid a put that had failed. */
export function removingAll(bucket: Bucket): Bucket {
  return {
    ...bucket,
    async put(objects, options) {
      try {
        await bucket.put(objects, options)
      } catch (error) {
        await bucket.remove(objects.map(({ key }) => key)).catch(() => {})
        throw error
      }
    },
  }
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
