import { expect, test } from 'vitest'
import type { Machine } from '../../../../bench/machine.ts'
import { logAxis } from '../../../../bench/performance/log-axis.ts'
import { performanceFiles } from '../../../../bench/performance/page.ts'
import { CURVES } from '../../../../bench/growth/curve.ts'
import { LATEST_OF_EACH } from '../../../../bench/peers/scenarios.ts'
import { parseXml } from '../../src/bucket/s3-xml.ts'

const MACHINE: Machine = { node: '24.0.0', platform: 'linux x64', processor: 'some', cores: 2, memoryGigabytes: 8 }
const PLAN = {
  rounds: 5,
  sampleMs: 1,
  firstMails: 1,
  storedMails: 1,
  warmMails: 1,
  warmUpMails: 1,
  warmUpMs: 1,
  sizes: [1_000, 10_000],
}

const MEASURED = CURVES.filter((curve) => curve !== 'replicas')

test('an axis encloses all values, in their order', () => {
  for (const values of [[1], [0, 3], [-2, 0.4, 1_000_000], [7, 9], [100, 1_000], [0.001, 0.0012], [0]]) {
    const { ticks, at } = logAxis(values)
    expect(ticks.length, values.join()).toBeGreaterThan(1)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(...values))
    const places = values.toSorted((a, b) => a - b).map(at)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places.every((place) => place >= 0 && place <= 1)).toBe(true)
    expect([at(ticks[0]!), at(ticks.at(-1)!)]).toEqual([0, 1])
  }
})

test('the page about performance says where another program is ahead, and draws every figure', () => {
  const figure = { scenario: 'one & only', unit: 'mails/s', measure: 'fresh' as const }
  const first = { scenario: 'until seen, p50', unit: 'ms', measure: 'first' as const }
  const latest = { scenario: LATEST_OF_EACH, unit: 'answers/s', measure: 'latest' as const }
  const files = performanceFiles({
    comparison: {
      machine: MACHINE,
      plan: PLAN,
      seconds: 60,
      notes: ['Other failed.'],
      figures: [
        ...[10, 40, 20].map((value) => ({ ...figure, program: 'Mailhatch', value })),
        ...[30, 10, 50].map((value) => ({ ...figure, program: 'Other', value })),
        { ...first, program: 'Mailhatch', value: 2 },
        { ...first, program: 'Other', value: 4 },
        ...PLAN.sizes.map((stored) => ({ ...latest, stored, program: 'Mailhatch', value: stored / 10 })),
      ],
    },
    growth: {
      machine: MACHINE,
      seconds: 60,
      notes: [],
      // One curve could not be measured, and of another only the first point.
      points: MEASURED.flatMap((curve) =>
        (curve === 'waits' ? [10] : [10, 1_000]).map((size) => ({
          curve,
          series: 'some, p95',
          unit: 'ms',
          database: 'sqlite' as const,
          size,
          value: size / 4,
        })),
      ),
    },
  })
  const page = Object.entries(files).find(([path]) => path.endsWith('.md'))![1]
  const pictures = Object.fromEntries(Object.entries(files).filter(([path]) => path.endsWith('.svg')))
  expect(page).toContain('| one & only, mails/s | 20.0 | 30.0 | 0.67, **behind** |')
  expect(page).toContain('| until seen, p50, ms | 2.00 | 4.00 | 0.50 |')
  expect(page).toContain(`| ${LATEST_OF_EACH}, 10,000 stored, answers/s | 1,000 | – |  |`)
  expect(page).toContain('- Other failed.')
  expect(page).toContain('| some, p95, ms | 2.50 | 250 | 1.00 × |')
  expect(Object.keys(pictures)).toHaveLength(3 + MEASURED.length)
  for (const [path, svg] of Object.entries(pictures)) {
    expect(page).toContain(`](../${path.slice('docs/'.length)})`)
    expect(parseXml(svg.replace(/<style>.*<\/style>/s, '')).name).toBe('svg')
  }
  const count = (name: string, pattern: RegExp) =>
    Array.from(pictures[`docs/images/performance-${name}.svg`]!.matchAll(pattern)).length
  expect(count('fresh', /one &amp; only/g)).toBe(1)
  expect([count('fresh', /<rect class="own"/g), count('fresh', /<rect class="bar"/g)]).toEqual([1, 1])
  expect([count('first', /<rect class="own"/g), count('first', /<rect class="bar"/g)]).toEqual([1, 1])
  // In the plot and in its legend.
  expect([count('latest', /<path class="c0"/g), count('latest', /<path class="c0 dots"/g)]).toEqual([2, 2])
  expect(count('messages', />some, p95</g)).toBe(1)
  expect(pictures['docs/images/performance-waits.svg']).toMatch(/<path class="c0 dots" d="M[\d.]+ [\d.]+h0"\/>/)
})
