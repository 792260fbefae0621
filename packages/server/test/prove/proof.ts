import { appendFileSync } from 'node:fs'

/** A counted or measured value, and the limits that it has to keep. */
export type Figure = {
  name: string
  value: number
  unit?: string
  min?: number
  max?: number
  /** The first of what was found and should not exist, to repeat the failure. */
  items?: string[]
}

/**
 * What is shown, how it was tried and what was found. The control is a program that was broken on purpose: it has a figure of
 * the same name, above the limit, for each figure with an upper limit.
 */
export type Proof = {
  claim: string
  tried: string
  figures: Figure[]
  control: { tried: string; figures: Figure[] }
}

/** What a part writes to its file of results, one JSON text per line. */
export type ResultLine = { progress: string } | { proof: Proof } | { failure: string }

/** Enough to see what they have in common. */
const ITEMS_MAX = 5

export function counted(name: string, value: number, unit?: string): Figure {
  return { name, value, ...(unit === undefined ? {} : { unit }) }
}

export function atMost(max: number, name: string, value: number, unit?: string): Figure {
  return { ...counted(name, value, unit), max }
}

export function atLeast(min: number, name: string, value: number, unit?: string): Figure {
  return { ...counted(name, value, unit), min }
}

/** None of these may exist. If there are some, the first are reported with the failure. */
export function none(name: string, found: string[]): Figure {
  return { ...atMost(0, name, found.length), ...(found.length === 0 ? {} : { items: found.slice(0, ITEMS_MAX) }) }
}

/** For a control, which has to find some. */
export function some(name: string, found: string[]): Figure {
  return atLeast(1, name, found.length)
}

export function isKept({ value, min = -Infinity, max = Infinity }: Figure): boolean {
  return value >= min && value <= max
}

/** Adds the proof to the report, also a failed one, and throws if a figure is outside its limits. */
export function prove(proof: Proof): void {
  const unchecked = uncheckedIn(proof)
  if (unchecked.length > 0) throw new Error(`"${proof.claim}" has no control for: ${unchecked.join('; ')}.`)
  write({ proof })
  const broken = brokenIn(proof)
  if (broken.length > 0) throw new Error(`"${proof.claim}" is not shown: ${broken.map(described).join('; ')}`)
}

/** In a sentence: the name, what was found, and the limit. */
function described(figure: Figure): string {
  const first = figure.items === undefined ? '' : ` (first: ${figure.items.join(', ')})`
  return `${figure.name}: ${foundOf(figure)}, ${limitsOf(figure)}${first}`
}

export function foundOf({ value, unit }: Figure): string {
  return `${number(value)}${unit === undefined ? '' : ` ${unit}`}`
}

export function limitsOf({ min, max }: Figure): string {
  const limits = [min === undefined ? [] : `at least ${number(min)}`, max === undefined ? [] : `at most ${number(max)}`]
  return limits.flat().join(', ')
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

/** The names of figures with an upper limit and without a control that has to exceed it. */
export function uncheckedIn({ figures, control }: Proof): string[] {
  const hasControl = (name: string, max: number) =>
    control.figures.some(({ name: found, min = -Infinity }) => found === name && min > max)
  return figures.flatMap(({ name, max }) => (max === undefined || hasControl(name, max) ? [] : [name]))
}

/** The figures outside their limits. */
export function brokenIn({ figures, control }: Proof): Figure[] {
  return [...figures, ...control.figures].filter((figure) => !isKept(figure))
}

/** Shown while the part runs. */
export function progress(text: string): void {
  write({ progress: text })
}

/** The seed of the run. Random values of a part come from it, so that a run can be repeated. */
export const SEED = Number(process.env['PROVE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Why a test of the part failed, for the page. */
export function reportFailure(text: string): void {
  write({ failure: text })
}

/** Without a file, for a part that is started by its name as a test, the lines are printed. */
function write(line: ResultLine): void {
  const file = process.env['PROVE_RESULTS']
  if (file === undefined) console.info(JSON.stringify(line))
  else appendFileSync(file, `${JSON.stringify(line)}\n`)
}
