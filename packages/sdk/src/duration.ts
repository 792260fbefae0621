/** Milliseconds, or a text such as '500ms', '8s' or '2m'. */
export type Duration = number | string

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** `name`: what the duration is for, in the error. */
export function millisecondsOf(duration: Duration, name = 'A duration'): number {
  const ms = typeof duration === 'string' ? millisecondsIn(duration) : duration
  if (typeof ms === 'number' && ms >= 0) return ms
  const given = typeof duration === 'string' ? `'${duration}'` : String(duration)
  throw new TypeError(
    `${name} is a number of milliseconds, not below 0, or a text such as '500ms', '8s' or '2m', not ${given}.`,
  )
}

function millisecondsIn(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)$/.exec(text.trim()) ?? []
  return amount === undefined || unit === undefined ? NaN : Math.round(Number(amount) * UNITS[unit]!)
}
