/** A measured value at a time in seconds. */
export type Sample = { seconds: number; value: number }

/** Per hour: the estimate, and the bounds between which the true slope is in 95 of 100 cases. */
export type Slope = { perHour: number; lowestPerHour: number; highestPerHour: number }

/** Longer than garbage is left uncollected, so that the rises and falls of each block are about the same. */
const BLOCKS = 15
/** The 97.5 % quantile of the normal distribution. */
const Z = 1.96

/**
 * The mean step from one block of samples to the next. Resident memory rises in steps that stay, so its values depend on all
 * earlier ones, and the error of a line through them would be far too small. The steps hardly depend on each other.
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
  const variance = sum(steps.map((step) => (step - perHour) ** 2)) / (steps.length - 1)
  const error = Math.sqrt(variance / steps.length) * quantileOf(steps.length - 1)
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
