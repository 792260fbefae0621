export function median(values: number[]): number {
  return percentile(values, 50)
}

/** The percentile, interpolated between two neighbouring values. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = ((sorted.length - 1) * percent) / 100
  const lower = sorted[Math.floor(place)]
  const upper = sorted[Math.ceil(place)]
  if (lower === undefined || upper === undefined) throw new Error('There are no values.')
  return lower + (upper - lower) * (place - Math.floor(place))
}

export function perSecond(count: number, elapsedMs: number): number {
  return (count / elapsedMs) * 1000
}
