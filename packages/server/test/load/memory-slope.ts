/** A measured value at a time in seconds. */
export type Sample = { seconds: number; value: number }

/** Per hour: the estimate, and the bounds between which the true slope is in 95 of 100 cases. */
export type Slope = { perHour: number; lowestPerHour: number; highestPerHour: number }

/**
 * Neighbouring samples resemble each other, because memory rises until garbage is collected. Means of blocks depend on each
 * other far less, so the interval is about as wide as it should be.
 */
const BLOCKS = 15
/** The 97.5 % quantile of the normal distribution. */
const Z = 1.96

/** Fits a line through the means of consecutive blocks of the samples. */
export function slopeOf(samples: Sample[]): Slope {
  if (samples.length < BLOCKS) throw new Error(`A slope needs ${BLOCKS} samples.`)
  const blocks = Array.from({ length: BLOCKS }, (_, index) => {
    const from = Math.floor((index * samples.length) / BLOCKS)
    const to = Math.floor(((index + 1) * samples.length) / BLOCKS)
    const block = samples.slice(from, to)
    return { x: mean(block.map(({ seconds }) => seconds / 3_600)), y: mean(block.map(({ value }) => value)) }
  })
  const [middleX, middleY] = [mean(blocks.map(({ x }) => x)), mean(blocks.map(({ y }) => y))]
  const spread = sum(blocks.map(({ x }) => (x - middleX) ** 2))
  const perHour = sum(blocks.map(({ x, y }) => (x - middleX) * (y - middleY))) / spread
  const left = sum(blocks.map(({ x, y }) => (y - middleY - perHour * (x - middleX)) ** 2))
  const error = Math.sqrt(left / (BLOCKS - 2) / spread) * quantileOf(BLOCKS - 2)
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
