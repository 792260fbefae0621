import { expect } from 'vitest'

/** A metric of a scrape: its type, the names of its labels and its lines. */
export type Scraped = { type: string; labels: Set<string>; lines: string[] }

export async function scrape(url: string): Promise<string> {
  const response = await fetch(`${url}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

/** The value of this name and its labels. Null if there is no such line. */
export function valueOf(text: string, series: string): number | null {
  const line = text.split('\n').find((line) => line.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

/** The metrics of our own, by name. */
export function metricsIn(text: string): Map<string, Scraped> {
  const metrics = new Map<string, Scraped>()
  let current: Scraped | null = null
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (mailhatch_\w+) (\w+)$/.exec(line) ?? []
    if (name !== undefined) metrics.set(name, (current = { type: type!, labels: new Set(), lines: [] }))
    else if (line.startsWith('# HELP ')) current = null
    else if (current && line !== '') {
      current.lines.push(line)
      // The bounds of a histogram are not labels of the metric.
      for (const [, label] of line.matchAll(/[{,](\w+)="/g)) if (label !== 'le') current.labels.add(label!)
    }
  }
  return metrics
}
