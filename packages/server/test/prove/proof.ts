import { appendFileSync } from 'node:fs'

/** A counted or measured value, and the limits that it has to keep. */
export type Figure = { name: string; value: number; unit?: string; min?: number; max?: number }

/**
 * What is shown, how it was tried and what was found. The control is the same check where it has to find something: a
 * check that cannot fail shows nothing.
 */
export type Proof = {
  claim: string
  tried: string
  figures: Figure[]
  control: { tried: string; figures: Figure[] }
}

/** What a part writes to its file of results, one JSON text per line. */
export type ResultLine = { progress: string } | { proof: Proof }

export function counted(name: string, value: number, unit?: string): Figure {
  return { name, value, ...(unit === undefined ? {} : { unit }) }
}

export function atMost(max: number, name: string, value: number, unit?: string): Figure {
  return { ...counted(name, value, unit), max }
}

export function atLeast(min: number, name: string, value: number, unit?: string): Figure {
  return { ...counted(name, value, unit), min }
}

export function isKept({ value, min = -Infinity, max = Infinity }: Figure): boolean {
  return value >= min && value <= max
}

/** Adds the proof to the report, also a failed one, and throws if a figure is outside its limits. */
export function prove(proof: Proof): void {
  if (proof.control.figures.every(({ min, max }) => min === undefined && max === undefined)) {
    throw new Error(`"${proof.claim}" has a control without limits, so it shows nothing.`)
  }
  write({ proof })
  const broken = [...proof.figures, ...proof.control.figures].filter((figure) => !isKept(figure))
  if (broken.length > 0) throw new Error(`"${proof.claim}" is not shown: ${JSON.stringify(broken)}`)
}

/** Shown while the part runs. */
export function progress(text: string): void {
  write({ progress: text })
}

/** The seed of the run. Random values of a part come from it, so that a run can be repeated. */
export const SEED = Number(process.env['PROVE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Without a file, for a part that is started by its name as a test, the lines are printed. */
function write(line: ResultLine): void {
  const file = process.env['PROVE_RESULTS']
  if (file === undefined) console.info(JSON.stringify(line))
  else appendFileSync(file, `${JSON.stringify(line)}\n`)
}
