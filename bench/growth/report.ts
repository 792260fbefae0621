import type { Machine } from '../machine.ts'
import { formatFigure } from '../results.ts'
import type { CurveName, DatabaseKind, Point } from './curve.ts'

export type Growth = { machine: Machine; points: Point[]; seconds: number; notes: string[] }

export const CURVE_TITLES: Record<CurveName, string> = {
  messages: 'More messages of one team',
  waits: 'More held waits',
  replicas: 'More API replicas on the same cores',
  teams: 'More teams',
}

export const DATABASE_NAMES: Record<DatabaseKind, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export function renderGrowth({ machine, points, seconds, notes }: Growth): string {
  const { node, platform, cores, processor, memoryGigabytes } = machine
  const sections = [...Map.groupBy(points, ({ curve }) => curve)].flatMap(([curve, own]) => [
    `### ${CURVE_TITLES[curve]}`,
    '',
    ...[...Map.groupBy(own, ({ database }) => database)].flatMap(([database, ofOne]) =>
      tableOf(DATABASE_NAMES[database], ofOne),
    ),
  ])
  return `Measured by \`bench/growth/run.ts\`. Node ${node}, ${platform}, ${cores} cores (${processor}), ${memoryGigabytes} GB; ${Math.round(seconds / 60)} minutes in total. Clients,
Mailhatch and PostgreSQL share the machine. The last column is the figure at the largest size, divided by that at the second size.

${sections.join('\n')}${notes.length === 0 ? '' : `\n${notes.map((note) => `- ${note}`).join('\n')}\n`}`
}

function tableOf(title: string, points: Point[]): string[] {
  const sizes = [...new Set(points.map(({ size }) => size))]
  const rows = [...Map.groupBy(points, ({ series }) => series)].map(([series, line]) => {
    const at = (size: number) => line.find((point) => point.size === size)?.value
    const shown = sizes.map(at).map((value) => (value === undefined ? '–' : formatFigure(value)))
    const [second, last] = [at(sizes[1] ?? sizes[0]!), at(sizes.at(-1)!)]
    const change = second === undefined || last === undefined ? '' : `${formatFigure(last / second)} ×`
    return [`${series}, ${line[0]!.unit}`, ...shown, change]
  })
  const head = [title, ...sizes.map((size) => size.toLocaleString('en-US')), 'change']
  return [...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`), '']
}
