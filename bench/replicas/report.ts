import type { WakeTimes } from '../../packages/server/test/replicas/wake-times.ts'
import type { Machine } from '../machine.ts'
import { formatFigure } from '../results.ts'
import { median } from '../statistics.ts'
import { TEAMS } from './fleet.ts'
import type { Figures } from './measure.ts'
import type { Options } from './options.ts'

const WAKE_GOAL_MS = 50

export type Measured = { name: string; figures: Figures[]; wakes: WakeTimes[] }
export type Run = { machine: Machine; measured: Measured[]; options: Options; seconds: number; notes: string[] }

export function renderReport({ machine, measured, options, seconds, notes }: Run): string {
  return [
    '# Replicas',
    '',
    `Made by \`bench/replicas/run.ts\`. Node ${machine.node}, ${machine.platform}, ${machine.cores} cores ` +
      `(${machine.processor}), ${machine.memoryGigabytes} GB, ${Math.round(seconds)} s in all.`,
    '',
    `API processes on one PostgreSQL, and one on SQLite, over HTTP with 24 connections in all. The clients, all replicas ` +
      `and PostgreSQL share ${machine.cores} cores, so this shows what replicas cost, not what more machines bring. Medians ` +
      `of ${options.rounds} rounds of ${options.sampleMs / 1000} s each; answers a second.`,
    '',
    `SQLite repeats an answer to \`latest\` while nothing has changed; PostgreSQL is asked each time.`,
    '',
    ...table(['', 'intake, one team', `intake, ${TEAMS} teams`, '`latest`'], measured.map(throughput)),
    '## Wake-ups',
    '',
    `From the acknowledgement of an announcement to the last replica until the wait that the first one holds is answered; ` +
      `milliseconds, ${options.wakes} wake-ups a round, medians of the rounds.`,
    '',
    ...table(['', 'p50', 'p99', 'max', `p99 ≤ ${WAKE_GOAL_MS}`], measured.map(latency)),
    ...(notes.length > 0 ? ['## Notes', '', ...notes.map((note) => `- ${note}`), ''] : []),
  ].join('\n')
}

function throughput({ name, figures }: Measured): string[] {
  const of = (key: keyof Figures) => formatFigure(median(figures.map((figure) => figure[key])))
  return [name, of('intakeOneTeam'), of('intakeTeams'), of('latest')]
}

function latency({ name, wakes }: Measured): string[] {
  const of = (key: keyof WakeTimes) => median(wakes.map((wake) => wake[key]))
  return [
    name,
    ...(['p50', 'p99', 'max'] as const).map((key) => formatFigure(of(key))),
    of('p99') <= WAKE_GOAL_MS ? 'yes' : 'no',
  ]
}

function table(head: string[], rows: string[][]): string[] {
  return [...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`), '']
}
