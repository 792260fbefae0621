/** “3 of 10”, or “3” where there is no limit. */
export function countText({ used, limit }: { used: number; limit: number | null }): string {
  return limit === null ? used.toLocaleString('en') : `${used} of ${limit}`
}

/** The least round number that all counts fit under, for the height of a chart; half of it is a whole number too. */
export function roundAbove(count: number): number {
  if (count <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(count))
  return [1, 2, 5, 10].map((factor) => factor * magnitude).find((round) => round >= count && round % 2 === 0)!
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** In steps of a thousand, as round numbers of a chart need it. */
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  const number = (bytes / 1000 ** step).toLocaleString('en', { maximumSignificantDigits: 3 })
  return `${number} ${UNITS[step]}`
}

/** How many webhooks got through; never “100 %” while one has failed. */
export function successText(days: { delivered: number; failed: number }[]): string {
  const delivered = days.reduce((sum, day) => sum + day.delivered, 0)
  const all = days.reduce((sum, day) => sum + day.failed, delivered)
  if (all === 0) return 'No webhooks'
  const percent = Math.floor((delivered / all) * 1000) / 10
  return `${percent} % of ${all.toLocaleString('en')} ${all === 1 ? 'webhook' : 'webhooks'} delivered`
}
