import { describe, expect, test } from 'vitest'
import type { Fault, FaultPlan } from '../../test/support/step-faults.ts'
import type { BucketUnderTest } from './bucket-contract.ts'
import { bytesOf, type ObjectBody, type Bucket } from './bucket.ts'

/** Storage that can be made to fail at any step. */
export type FaultyStorage = Pick<BucketUnderTest, 'open' | 'unfinishedUploads'> & {
  arm: (plan: FaultPlan) => Promise<void>
  /** Returns the number of steps since `arm`. */
  disarm: () => Promise<number>
  /** Smallest size that is stored in parts. */
  largeBytes: number
}

const OLD = bytes('old')
const NEW = bytes('new')
type Scenario = {
  name: string
  /** Objects before the action, by key. */
  before: Record<string, ObjectBody>
  act: (bucket: Bucket, key: (name: string) => string) => Promise<void>
  /** Objects after a successful action. */
  after: Record<string, ObjectBody>
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
    name: 'new objects without an existence check',
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
    name: 'a move to an existing key',
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
  const body: ObjectBody = {
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

export const EVERY_LASTING = ['once', 'step', 'all'] as const

type FaultSet = {
  faults: Fault[]
  /** Fewer faults, because each case sends the large body completely. Without any, no large body is tried. */
  faultsOfLarge: Fault[]
  lasting?: readonly FaultPlan['lasts'][]
}

/** What every bucket must guarantee when any step fails in any way. */
export function describeFaults(name: string, set: FaultSet, storage: () => FaultyStorage): void {
  describe(`${name}: a fault at each step`, () => {
    test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('of %s', async (_, scenario) => {
      const { problems, rejected, cases } = await tryAll(storage(), scenario, set)
      expect(problems).toEqual([])
      expect(rejected).toBeGreaterThan(0)
      expect(cases).toBeGreaterThan(set.faults.length)
    })

    test('detects an undo that deletes objects it did not create', async () => {
      const { problems } = await tryAll(storage(), SCENARIOS[0]!, set, removingAll)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems[0]).toContain('a is missing')
    })

    const { faultsOfLarge } = set
    if (faultsOfLarge.length === 0) return
    test('of an overwrite with a large body', async () => {
      const there = storage()
      const scenario = overwriteWithLarge(there.largeBytes)
      const { problems, rejected } = await tryAll(there, scenario, { ...set, faults: faultsOfLarge })
      expect(problems).toEqual([])
      expect(rejected).toBeGreaterThan(0)
    })
  })
}

async function tryAll(
  storage: FaultyStorage,
  scenario: Scenario,
  { faults, lasting = EVERY_LASTING }: FaultSet,
  wrap: (bucket: Bucket) => Bucket = (bucket) => bucket,
) {
  const bucket = wrap(await storage.open())
  const problems: string[] = []
  let [cases, rejected] = [0, 0]

  async function attempt(plan: FaultPlan): Promise<number> {
    const tried = await tryOnce(storage, bucket, scenario, { plan, number: cases++ })
    if (tried.isRejected) rejected++
    const { at, fault, lasts } = plan
    problems.push(...tried.problems.map((problem) => `step ${at}, ${fault.when} ${fault.kind}, ${lasts}: ${problem}`))
    return tried.steps
  }

  // The first run has no fault and counts the steps.
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

async function tryOnce(storage: FaultyStorage, bucket: Bucket, scenario: Scenario, { plan, number }: Case) {
  const keyOf = (name: string) => `messages/case-${number}/${name}`
  const names = Object.keys({ ...scenario.before, ...scenario.after })
  const objects = Object.entries(scenario.before).map(([name, body]) => ({ key: keyOf(name), body }))
  if (objects.length > 0) await bucket.put(objects)
  const unfinished = (await storage.unfinishedUploads()).length
  await storage.arm(plan)
  const error: unknown = await scenario.act(bucket, keyOf).then(
    () => null,
    (thrown: unknown) => thrown ?? 'rejected',
  )
  const steps = await storage.disarm()
  const problems: string[] = []
  const mayRemain = plan.lasts === 'all' || typeof plan.lasts === 'number' || plan.fault.when !== 'before'
  const left: ('present' | 'absent')[] = []
  for (const name of names) {
    const found = await describeObject(bucket, keyOf(name))
    left.push(found ? 'present' : 'absent')
    const [old, fresh] = [describeBody(scenario.before[name]), describeBody(scenario.after[name])]
    const isMissing = found === null && old !== null && fresh !== null
    if (isMissing) problems.push(`${name} is missing`)
    else if (error === null && found !== fresh) problems.push(`${name} is ${found} after success`)
    else if (found !== old && found !== fresh) problems.push(`${name} is ${found}`)
    else if (error && old === null && found !== null && !mayRemain && Object.keys(scenario.before).length === 0)
      problems.push(`${name} was left behind`)
  }
  if (!left.includes('present') && objects.length > 0) problems.push('everything is missing')
  // New objects that could not be deleted again remain in order: metadata never remains without its mail.
  if (objects.length === 0 && left.includes('absent') && left.lastIndexOf('present') > left.indexOf('absent'))
    problems.push(`${left.join(', ')}: an object remains without the one before it`)
  if (!mayRemain && (await storage.unfinishedUploads()).length > unfinished) problems.push('an upload was left behind')
  // Without the fault, the same call succeeds.
  await scenario.act(bucket, keyOf)
  for (const name of names) {
    const found = await describeObject(bucket, keyOf(name))
    if (found !== describeBody(scenario.after[name])) problems.push(`${name} is ${found} after the repeated call`)
  }
  return { problems, steps, isRejected: error !== null }
}

async function describeObject(bucket: Bucket, key: string): Promise<string | null> {
  const object = await bucket.get(key)
  return object && describeBody(await bytesOf(object))
}

function describeBody(body: ObjectBody | undefined): string | null {
  if (body === undefined) return null
  if (!(body instanceof Uint8Array)) return `${body.size} bytes of 7`
  if (body.byteLength < 100) return new TextDecoder().decode(body)
  return `${body.byteLength} bytes of ${body.every((byte) => byte === body[0]) ? body[0] : 'mixed values'}`
}

/** How buckets used to undo a failed put. */
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
