import type { ComparedAnswer, ComparedCall, Run, RunFacts } from './comparison.ts'

/** One value that differs. */
export type Difference = {
  call: ComparedCall
  /** The call without its query, then where the value is in the answer, with `#` for the places of lists. */
  path: string
  peer: unknown
  ours: unknown
  /** The objects or lists that have the values. */
  beside: Both<unknown>
  answers: Both<ComparedAnswer>
  runs: Both<RunFacts>
  /** The calls that were made before. */
  before: ComparedCall[]
}

export type Both<Value> = { peer: Value; ours: Value }

/** A row of the table in the guide about a peer's API: what differs on purpose, and what shows it. */
export type IntendedDifference = {
  difference: string
  why: string
  shownBy: Rule[] | NamedTest
}

/** `file` is in packages/server. */
export type NamedTest = { file: string; test: string }

/** What may differ between the answer of a peer and ours, by the path of the value. */
export type Rule = {
  path: RegExp
  holds(difference: Difference): boolean
  /** What makes of a difference that holds one that does not. */
  rejects: Partial<Difference>
}

/** All values that differ in the answers to the calls. */
export function compareRuns(calls: ComparedCall[], peer: Run, ours: Run): Difference[] {
  return calls.flatMap((call, index) => {
    const answers = { peer: peer.answers[index]!, ours: ours.answers[index]! }
    const place = { call, answers, runs: { peer, ours }, before: calls.slice(0, index) }
    return differencesOf(answers, `${call.method} ${call.path.split('?')[0]}`).map((found) => ({ ...place, ...found }))
  })
}

type Found = Pick<Difference, 'path' | 'peer' | 'ours' | 'beside'>

function differencesOf(beside: Both<object>, path: string): Found[] {
  const names = new Set([...Object.keys(beside.peer), ...Object.keys(beside.ours)])
  return Array.from(names).flatMap((name) => {
    // The keys of both are strings.
    const [peer, ours] = [beside.peer, beside.ours].map((one) => (one as Record<string, unknown>)[name])
    const longer = `${path}.${Array.isArray(beside.peer) ? '#' : name}`
    if (isObject(peer) && isObject(ours)) return differencesOf({ peer, ours }, longer)
    return peer === ours ? [] : [{ path: longer, peer, ours, beside }]
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function rulesOf(intended: IntendedDifference[]): Rule[] {
  return intended.flatMap(({ shownBy }) => (Array.isArray(shownBy) ? shownBy : []))
}

export function ruleFor(intended: IntendedDifference[], found: Difference): Rule | undefined {
  return rulesOf(intended).find(({ path, holds }) => path.test(found.path) && holds(found))
}

/** For people. */
export function shown({ call, path, peer, ours }: Difference): object {
  const { method, path: asked, body } = call
  return { call: `${method} ${decodeURIComponent(asked)} ${JSON.stringify(body) ?? ''}`, path, peer, ours }
}
