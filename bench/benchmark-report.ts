import { writeFileSync } from 'node:fs'
import { judgeGoals, type Goal } from './goals.ts'
import type { Machine } from './machine.ts'
import { MEASURES, type Measure, type Options } from './options.ts'
import { formatFigure, MAILHATCH, ratio, type Results, type Series } from './results.ts'
import { median } from './statistics.ts'

const TITLES: Record<Measure, string> = {
  smtp: 'Mail by SMTP',
  intake: 'Intake of announcements',
  latest: 'Polls for the latest message',
  latency: 'From a mail to the answer of a held wait',
  waiters: 'Many held waits',
  memory: 'Start and memory',
  purge: 'Mail while expired messages are removed',
}

const REMARKS: Partial<Record<Measure, string>> = {
  smtp:
    `“${MAILHATCH}” counts until every mail is durable and can be read through the API. MailDev keeps mail in ` +
    'memory and is counted by its 250s, as is every other program here.',
  latency:
    `“${MAILHATCH}” is the time from reading the 250 to having the whole answer. The synced writes were made between ` +
    'the mails, one at a time, on the same disk.',
}

type Run = { options: Options; machine: Machine; results: Results; seconds: number }

/** Returns the report; of a whole run it is also written, as report.md and report.json beside this file. */
export function report(run: Run): string {
  const goals = judgeGoals(run.results)
  const text = renderReport(run, goals)
  if (!run.options.isWhole) return text
  writeFileSync(new URL('report.md', import.meta.url), text)
  writeFileSync(new URL('report.json', import.meta.url), `${JSON.stringify(reportData(run, goals), null, 2)}\n`)
  return text
}

function reportData({ options, machine, results, seconds }: Run, goals: Goal[]) {
  const series = results.series.map((one) => ({ ...one, ...spread(one), ratio: ratioToIt(one, results) }))
  return { machine, plan: options.plan, seconds, series, goals, notes: results.notes }
}

function renderReport({ options, machine, results, seconds }: Run, goals: Goal[]): string {
  const facts =
    `Node ${machine.node}, ${machine.platform}, ${machine.cores} cores (${machine.processor}), ` +
    `${machine.memoryGigabytes} GB. ${options.plan.rounds} interleaved rounds, ${Math.round(seconds)} s in all.`
  const sections = MEASURES.flatMap((measure) => {
    const series = results.series.filter((one) => one.measure === measure)
    return series.length === 0 ? [] : renderMeasure(measure, series, results)
  })
  const notes = results.notes.map((note) => `- ${note}`)
  return [
    '# Benchmark',
    '',
    `Made by \`npm run bench\`. ${facts}`,
    ...(options.isWhole ? [] : ['', '**A quick or partial look: no figures to quote.**']),
    '',
    ...sections,
    '## Goals',
    '',
    ...renderTable(['goal', 'figure', 'met'], goals.map(goalCells)),
    ...(notes.length > 0 ? ['## Notes', '', ...notes, ''] : []),
  ].join('\n')
}

function renderMeasure(measure: Measure, series: Series[], results: Results): string[] {
  const byScenario = Object.values(Object.groupBy(series, ({ scenario }) => scenario))
  const rows = byScenario
    .flatMap((group) => (group ?? []).toSorted((a, b) => a.subject.localeCompare(b.subject)))
    .map((one) => {
      const { median, min, max } = spread(one)
      const times = ratioToIt(one, results)
      const figures = [median, min, max].map(formatFigure)
      return [one.scenario, one.subject, one.unit, ...figures, times === null ? '' : formatFigure(times)]
    })
  const remark = REMARKS[measure]
  return [
    `## ${TITLES[measure]}`,
    '',
    ...(remark ? [remark, ''] : []),
    ...renderTable(['what', 'who', 'unit', 'median', 'min', 'max', `${MAILHATCH} ÷ it`], rows),
  ]
}

function renderTable(head: string[], rows: string[][]): string[] {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [...lines, '']
}

function goalCells({ goal, figure, unit, isMet }: Goal): string[] {
  if (figure === null) return [goal, 'not measured', '']
  return [goal, `${formatFigure(figure)} ${unit}`, isMet ? 'yes' : 'no']
}

/** Mailhatch's figure divided by this one; null for its own. */
function ratioToIt(series: Series, results: Results): number | null {
  if (series.subject.startsWith(MAILHATCH)) return null
  return ratio(results.find({ ...series, subject: MAILHATCH }), series)
}

function spread({ values }: Series) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}
