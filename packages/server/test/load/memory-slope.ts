/** A measured value at a time in seconds. */
export type Sample = { seconds: number; value: number }

/** Per hour: the estimate, and the bounds between which the true slope is in 95 of 100 cases. */
export type Slope = { perHour: number; lowestPerHour: number; highestPerHour: number }

/** Longer than garbage is left uncollected, so that the rises and falls of each block are about the same. */
const BLOCKS = 15
/** A step that the next ones take back says little about the slope. */
const LAGS = 2
/** The 97.5 % quantile of the normal distribution. */
const Z = 1.96

/**
 * The mean step from one block of samples to the next. Resident memory rises in steps that stay, so its values depend on all
 * earlier ones, and the error of a line through them would be far too small. Other rises are followed by a fall, so the variance of the mean
 * step is that of Newey and West, which counts how steps depend on those before them.
 */
export function slopeOf(samples: Sample[]): Slope {
  if (samples.length < BLOCKS) throw new Error(`A slope needs ${BLOCKS} samples.`)
  const blocks = Array.from({ length: BLOCKS }, (_, index) => {
    const from = Math.floor((index * samples.length) / BLOCKS)
    const to = Math.floor(((index + 1) * samples.length) / BLOCKS)
    const block = samples.slice(from, to)
    return { hours: mean(block.map(({ seconds }) => seconds / 3_600)), value: mean(block.map(({ value }) => value)) }
  })
  const steps = blocks.slice(1).map(({ hours, value }, index) => {
    const before = blocks[index]!
    return (value - before.value) / (hours - before.hours)
  })
  const perHour = mean(steps)
  const deviations = steps.map((step) => step - perHour)
  const covariance = (lag: number) =>
    sum(deviations.slice(lag).map((deviation, index) => deviation * deviations[index]!)) / (steps.length - 1)
  let variance = covariance(0)
  for (let lag = 1; lag <= LAGS; lag++) variance += 2 * (1 - lag / (LAGS + 1)) * covariance(lag)
  const error = Math.sqrt(Math.max(0, variance) / steps.length) * quantileOf(steps.length - 1)
  return { perHour, lowestPerHour: perHour - error, highestPerHour: perHour + error }
}

/** The same quantile of Student's distribution, by the first terms of its expansion. */
function quantileOf(degrees: number): number {
  return Z + (Z ** 3 + Z) / (4 * degrees) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * degrees ** 2)
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: number[]): number {
  return sum(values) / values.length
}
