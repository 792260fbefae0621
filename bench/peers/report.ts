import type { Machine } from '../machine.ts'
import { formatFigure, MAILHATCH } from '../results.ts'
import { median } from '../statistics.ts'
import type { Measure, Plan } from './options.ts'

export type Figure = {
  measure: Measure
  scenario: string
  /** Messages that the program had, if this differs between the figures of a scenario. */
  stored?: number
  unit: string
  program: string
  value: number
}

export type Comparison = { machine: Machine; plan: Plan; figures: Figure[]; seconds: number; notes: string[] }

/** The medians of one scenario, by program. */
export type Row = Omit<Figure, 'program' | 'value'> & { medians: Map<string, number> }

const TITLES: Record<Measure, string> = {
  fresh: 'Mail by SMTP until it can be read, by a program that has just started',
  first: 'One mail at a time',
  warm: 'Mail by SMTP until it can be read, by a program that has had much of it',
  latest: 'Polls for the newest mail of an address',
}

/** What was compared, in the order of the measurement. */
export function rowsOf({ figures }: Pick<Comparison, 'figures'>): Row[] {
  const rows = Map.groupBy(figures, ({ measure, scenario, stored }) => [measure, scenario, stored].join('\n'))
  return [...rows.values()].map((own) => {
    const { program: _, value: __, ...row } = own[0]!
    const byProgram = Map.groupBy(own, ({ program }) => program)
    const medians = [...byProgram].map(
      ([program, rounds]) => [program, median(rounds.map(({ value }) => value))] as const,
    )
    return { ...row, medians: new Map(medians) }
  })
}

export function renderComparison(comparison: Comparison): string {
  const { machine, plan, figures, seconds, notes } = comparison
  const { node, platform, cores, processor, memoryGigabytes } = machine
  const programs = [...new Set(figures.map(({ program }) => program))]
  const head = ['', ...programs, `${MAILHATCH} ÷ best other`]
  const sections = [...Map.groupBy(rowsOf(comparison), ({ measure }) => measure)].map(([measure, rows]) =>
    [
      `### ${TITLES[measure]}`,
      '',
      ...table(
        head,
        rows.map((row) => cellsOf(row, programs)),
      ),
    ].join('\n'),
  )
  return `Measured by \`bench/peers/run.ts\`. Node ${node}, ${platform}, ${cores} cores (${processor}), ${memoryGigabytes} GB; ${Math.round(seconds / 60)} minutes in total.

Every program gets the same mail by SMTP and is read through its own API, the newest mail of an address in the best way that it has. It is started
with an empty store each time. Medians of ${plan.rounds} rounds, in each of which every program had its turn; polls and searches were measured in one of them.
${MAILHATCH} syncs each mail to disk before it accepts it. Mailpit and Inbucket write files without a sync, and MailDev and GreenMail keep mail in memory.

${sections.join('\n')}${notes.length === 0 ? '' : `\n${notes.map((note) => `- ${note}`).join('\n')}\n`}`
}

function cellsOf({ scenario, stored, unit, medians }: Row, programs: string[]): string[] {
  const ours = medians.get(MAILHATCH)
  const others = [...medians].filter(([program]) => program !== MAILHATCH).map(([, value]) => value)
  // Of times and sizes, less is better.
  const isRate = unit.endsWith('/s')
  const times = ours === undefined || others.length === 0 ? null : ours / (isRate ? Math.max : Math.min)(...others)
  const shown = times === null ? '' : formatFigure(times)
  const isBehind = times !== null && shown !== formatFigure(1) && (isRate ? times < 1 : times > 1)
  return [
    `${scenario}, ${stored === undefined ? '' : `${stored.toLocaleString('en-US')} stored, `}${unit}`,
    ...programs.map((program) => (medians.has(program) ? formatFigure(medians.get(program)!) : '–')),
    `${shown}${isBehind ? ', **behind**' : ''}`,
  ]
}

function table(head: string[], rows: string[][]): string[] {
  return [...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`), '']
}
