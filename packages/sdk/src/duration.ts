/** Milliseconds, or a text such as '500ms', '8s' or '2m'. */
export type Duration = number | string

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export function millisecondsOf(duration: Duration): number {
  if (typeof duration === 'number') return duration
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)$/.exec(duration.trim()) ?? []
  if (amount === undefined || unit === undefined) {
    throw new TypeError(
      `A duration is a number of milliseconds or a text such as '500ms', '8s' or '2m', not '${duration}'.`,
    )
  }
  return Math.round(Number(amount) * UNITS[unit]!)
}
