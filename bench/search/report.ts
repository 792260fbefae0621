import type { Machine } from '../machine.ts'
import { formatFigure } from '../results.ts'
import type { Answers } from './ask.ts'
import type { Filled } from './fill.ts'
import type { Ingest } from './ingest.ts'
import type { Question } from './questions.ts'

const INGEST_GOAL = 0.6

export type Asked = { who: string; question: Question; answers: Answers }
export type Run = {
  machine: Machine
  filled: Filled
  asked: Asked[]
  ingest: Ingest
  questions: number
  rounds: number
  seconds: number
  notes: string[]
}

export function renderReport({ machine, filled, asked, ingest, questions, rounds, seconds, notes }: Run): string {
  const { counts, fillSeconds, indexSeconds, megabytes } = filled
  const filling = `Filling took ${formatFigure(fillSeconds)} s; ${formatFigure(indexSeconds)} s later all was indexed.`
  return [
    '# Search',
    '',
    `Made by \`bench/search/run.ts\`. Node ${machine.node}, ${machine.platform}, ${machine.cores} cores ` +
      `(${machine.processor}), ${machine.memoryGigabytes} GB, ${Math.round(seconds)} s in all.`,
    '',
    `A team of ${counts.small.toLocaleString('en-US')} and one of ${counts.large.toLocaleString('en-US')} messages with ` +
      `2 kB of text each in one database of ${formatFigure(megabytes)} MB. ${filling}`,
    '',
    `Over HTTP, one request after another, ${questions} of each kind, no two the same, \`limit=50\`. Times in milliseconds.`,
    '',
    ...table(
      ['who', 'search', 'team', 'messages with it', 'in the answer', 'p50', 'p95', 'max', 'goal (p95)', 'met'],
      asked.map(cellsOf),
    ),
    '## Ingest',
    '',
    `Messages a second through the store, 64 at a time, medians of ${rounds} interleaved rounds: ` +
      `${formatFigure(ingest.on)} with indexing, ${formatFigure(ingest.off)} without, ratio ${ingest.ratio.toFixed(2)} ` +
      `(goal ≥ ${INGEST_GOAL}: ${ingest.ratio >= INGEST_GOAL ? 'met' : 'missed'}).`,
    ...(notes.length > 0 ? ['', '## Notes', '', ...notes.map((note) => `- ${note}`)] : []),
    '',
  ].join('\n')
}

function cellsOf({ who, question: { parameter, team, frequency, goalMs }, answers }: Asked): string[] {
  const figures = [answers.p50, answers.p95, answers.max].map(formatFigure)
  const verdict = goalMs === null ? ['', ''] : [`≤ ${goalMs}`, answers.p95 <= goalMs ? 'yes' : 'no']
  return [who, parameter, team, frequency, String(answers.found), ...figures, ...verdict]
}

function table(head: string[], rows: string[][]): string[] {
  return [...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`), '']
}
