import type { Measure } from './options.ts'
import { median } from './statistics.ts'

/** The subject that all others are compared with. */
export const MAILHATCH = 'Mailhatch'

/** Identifies a figure: the scenario, the program and the unit. */
export type Label = { measure: Measure; scenario: string; subject: string; unit: string }

/** One value per round, in order. */
export type Series = Label & { values: number[] }

/** Collects figures and notes during the benchmark. */
export class Results {
  readonly series: Series[] = []
  readonly notes: string[] = []

  add(label: Label, value: number): void {
    const found = this.find(label)
    if (found) found.values.push(value)
    else this.series.push({ ...label, values: [value] })
    const { scenario, subject, unit } = label
    console.log(`  ${scenario} · ${subject}: ${formatFigure(value)} ${unit}`)
  }

  note(text: string): void {
    this.notes.push(text)
    console.log(`  Note: ${text}`)
  }

  find({ measure, scenario, subject }: Omit<Label, 'unit'>): Series | undefined {
    return this.series.find(
      (series) => series.measure === measure && series.scenario === scenario && series.subject === subject,
    )
  }
}

/** Compares round by round, so that disturbances affect both. Null if there is nothing to compare. */
export function ratio(ours: Series | undefined, theirs: Series | undefined): number | null {
  if (!ours || !theirs || ours.unit !== theirs.unit) return null
  const rounds = Math.min(ours.values.length, theirs.values.length)
  return median(Array.from({ length: rounds }, (_, round) => ours.values[round]! / theirs.values[round]!))
}

/** The first line of an error, for the report. Further lines may contain paths of this machine. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

export function formatFigure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value >= 10 ? 1 : 2)
}
