/** “3 of 10”, or “3” without a limit. */
export function countText({ used, limit }: { used: number; limit: number | null }): string {
  return limit === null ? used.toLocaleString('en') : `${used} of ${limit}`
}

/** The smallest even round number above the count, for the axis of a chart. */
export function roundAbove(count: number): number {
  if (count <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(count))
  return [1, 2, 5, 10].map((factor) => factor * magnitude).find((round) => round >= count && round % 2 === 0)!
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Decimal units, so that round axis values stay round. */
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  const number = (bytes / 1000 ** step).toLocaleString('en', { maximumSignificantDigits: 3 })
  return `${number} ${UNITS[step]}`
}

/** The share of delivered webhooks, rounded down: never “100 %” if one failed. */
export function successText(days: { delivered: number; failed: number }[]): string {
  const delivered = days.reduce((sum, day) => sum + day.delivered, 0)
  const all = days.reduce((sum, day) => sum + day.failed, delivered)
  if (all === 0) return 'No webhooks'
  const percent = Math.floor((delivered / all) * 1000) / 10
  return `${percent} % of ${all.toLocaleString('en')} ${all === 1 ? 'webhook' : 'webhooks'} delivered`
}
