import { CURVE_TITLES, DATABASE_NAMES, renderGrowth, type Growth } from '../growth/report.ts'
import { CURVES, type CurveName, type Point } from '../growth/curve.ts'
import { renderComparison, rowsOf, type Comparison, type Row } from '../peers/report.ts'
import { LATEST_OF_EACH, LATEST_OF_ONE, LATEST_UNDER_LOAD, SEARCH } from '../peers/scenarios.ts'
import type { Reports } from '../stored-reports.ts'
import { barsSvg } from './bars.ts'
import { curvesSvg, type Curve, type PanelRow } from './curves.ts'

type Picture = { name: string; title: string; svg: string }

const X_LABELS: Record<CurveName, string> = {
  messages: 'messages stored',
  waits: 'held waits',
  replicas: 'API replicas',
  teams: 'teams',
}

const PAGE = 'operate/performance.md'

/** The page about performance and its pictures, by path. */
export function performanceFiles(reports: Pick<Reports, 'comparison' | 'growth'>): Record<string, string> {
  const compared = comparisonPictures(reports.comparison)
  const grown = growthPictures(reports.growth)
  const files = [...compared, ...grown].map(({ name, svg }) => [`docs/images/${name}.svg`, svg])
  return { [`docs/${PAGE}`]: page(reports, compared, grown), ...Object.fromEntries(files) }
}

function page(
  { comparison, growth }: Pick<Reports, 'comparison' | 'growth'>,
  compared: Picture[],
  grown: Picture[],
): string {
  return `# Performance

How fast Mailhatch is, compared with other programs that catch mail, and what changes as it grows. \`npm run docs\` writes this page from the reports of two
benchmarks. Repeat them on a machine that does nothing else, with the programs that you want to compare:

\`\`\`sh
node --conditions=mailhatch-source bench/peers/run.ts --peer mailpit=<file> --peer inbucket=<file>
node --conditions=mailhatch-source bench/growth/run.ts
npm run docs
\`\`\`

## Compared with other programs

${embedded(compared)}
${renderComparison(comparison)}
## Growth

${embedded(grown)}
${renderGrowth(growth)}`
}

const embedded = (pictures: Picture[]): string =>
  pictures.map(({ name, title }) => `![${title}](../images/${name}.svg)\n`).join('\n')

function comparisonPictures(comparison: Comparison): Picture[] {
  const rows = rowsOf(comparison)
  const fresh = 'Mail per second that can be read, just after the start'
  const first = 'Milliseconds until a mail is seen; less is better'
  const latest = 'Polls for the newest mail, and searches'
  const barsOf = (wanted: Row[]) =>
    wanted.map(({ scenario, medians }) => ({
      title: scenario,
      bars: Array.from(medians, ([name, value]) => ({ name, value })),
    }))
  return [
    {
      name: 'performance-fresh',
      title: fresh,
      svg: barsSvg(fresh, barsOf(rows.filter(({ measure, unit }) => measure === 'fresh' && unit === 'mails/s'))),
    },
    {
      name: 'performance-first',
      title: first,
      svg: barsSvg(
        first,
        barsOf(rows.filter(({ measure, scenario }) => measure === 'first' && scenario.endsWith('p50'))),
      ),
    },
    {
      name: 'performance-latest',
      title: latest,
      svg: curvesSvg(latest, 'messages stored', [
        panelsOf(rows, [LATEST_OF_ONE, LATEST_OF_EACH]),
        panelsOf(rows, [LATEST_UNDER_LOAD, SEARCH]),
      ]),
    },
  ]
}

/** A panel per scenario, with a curve per program. */
function panelsOf(rows: Row[], scenarios: string[]): PanelRow {
  const panels = scenarios.map((scenario) => {
    const own = rows.filter((row) => row.scenario === scenario)
    const programs = [...new Set(own.flatMap(({ medians }) => [...medians.keys()]))]
    const curves = programs.map((name): Curve => ({
      name,
      points: own.flatMap(({ stored, medians }) =>
        stored === undefined || !medians.has(name) ? [] : [{ x: stored, y: medians.get(name)! }],
      ),
    }))
    return { title: scenario, curves }
  })
  return { unit: 'answers/s', panels }
}

function growthPictures({ points }: Growth): Picture[] {
  return CURVES.flatMap((curve) => {
    const own = points.filter((point) => point.curve === curve)
    // Its measurement failed.
    if (own.length === 0) return []
    const title = CURVE_TITLES[curve]
    const units = Map.groupBy(own, ({ unit }) => (unit.endsWith('/s') ? 'per second' : unit))
    const rows = Array.from(units, ([unit, ofUnit]): PanelRow => ({
      unit,
      panels: Array.from(
        Map.groupBy(ofUnit, ({ database }) => database),
        ([database, ofOne]) => ({
          title: DATABASE_NAMES[database],
          curves: curvesOf(ofOne),
        }),
      ),
    }))
    return [{ name: `performance-${curve}`, title, svg: curvesSvg(title, X_LABELS[curve], rows) }]
  })
}

function curvesOf(points: Point[]): Curve[] {
  return Array.from(
    Map.groupBy(points, ({ series }) => series),
    ([name, own]) => ({
      name,
      points: own.map(({ size, value }) => ({ x: size, y: value })),
    }),
  )
}
