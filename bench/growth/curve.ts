export type DatabaseKind = 'sqlite' | 'postgres'

/** One figure of a curve: what was measured, on which database, at which size. */
export type Point = {
  curve: CurveName
  /** Such as the p95 of a list. */
  series: string
  unit: string
  database: DatabaseKind
  /** How many messages, waits, replicas or teams there were. */
  size: number
  value: number
}

export const CURVES = ['messages', 'waits', 'replicas', 'teams'] as const
export type CurveName = (typeof CURVES)[number]

export type OnPoint = (point: Omit<Point, 'curve' | 'database'>) => void
