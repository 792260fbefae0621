import { formatFigure } from '../results.ts'
import type { Sizes } from './store-sizes.ts'

/** What the benchmarks say about one mail and one database. */
export type Capacity = {
  sqliteBytes: number
  postgresBytes: number
  indexBytes: number
  requestsPerMail: number
  /** Of several teams, which is less than of one. */
  intakePerSecond: number
  deletionsPerSecond: number
}

const SECONDS_A_DAY = 86_400
const PEAK = 10
const OBJECTS_PER_MAIL = 2
const DAYS = { starter: 14, pro: 90, month: 30 }

export const LOADS = [
  { name: '10 k a day', mails: 10_000 },
  { name: '1 M a day', mails: 1_000_000 },
  { name: '100 M a day', mails: 100_000_000 },
].map((load) => ({ ...load, perSecond: load.mails / SECONDS_A_DAY }))

export function sizingTable(capacity: Capacity): string {
  const { sqliteBytes, postgresBytes, requestsPerMail, intakePerSecond } = capacity
  const row = (name: string, cell: (load: (typeof LOADS)[number]) => string) =>
    `| ${[name, ...LOADS.map(cell)].join(' | ')} |`
  const stored = (days: number, bytes: number) => (load: { mails: number }) => sizeOf(load.mails * days * bytes)
  return [
    row('', ({ name }) => name),
    `|${'---|'.repeat(LOADS.length + 1)}`,
    row('average, mails ÷ 86,400 s', ({ perSecond }) => `${rate(perSecond)}/s`),
    row(`peak, × ${PEAK}`, ({ perSecond }) => `${rate(PEAK * perSecond)}/s`),
    row(`peak, compared with the ${formatFigure(intakePerSecond)}/s of one small PostgreSQL`, ({ perSecond }) =>
      share((PEAK * perSecond) / intakePerSecond),
    ),
    row(`PostgreSQL for ${DAYS.starter} days, × ${sizeOf(postgresBytes)}`, stored(DAYS.starter, postgresBytes)),
    row(`PostgreSQL for ${DAYS.pro} days`, stored(DAYS.pro, postgresBytes)),
    row(`SQLite for ${DAYS.starter} days, × ${sizeOf(sqliteBytes)}`, stored(DAYS.starter, sqliteBytes)),
    row(`objects for ${DAYS.starter} days, × ${OBJECTS_PER_MAIL}`, ({ mails }) =>
      count(mails * DAYS.starter * OBJECTS_PER_MAIL),
    ),
    row(`requests to the bucket a month, × ${requestsPerMail} × ${DAYS.month}`, ({ mails }) =>
      count(mails * requestsPerMail * DAYS.month),
    ),
    row('messages to delete, as many as arrive', ({ perSecond }) => `${rate(perSecond)}/s`),
  ].join('\n')
}

export function total({ messages, contents, indexes, textIndex }: Sizes): number {
  return messages + contents + indexes + textIndex
}

/** Two digits are enough for a plan. */
export function rate(perSecond: number): string {
  return Number(perSecond.toPrecision(2)).toLocaleString('en-US')
}

type Unit = readonly [size: number, name: string]

const SIZES: Unit[] = [
  [1e12, ' TB'],
  [1e9, ' GB'],
  [1e6, ' MB'],
  [1e3, ' kB'],
  [1, ' bytes'],
]
const COUNTS: Unit[] = [
  [1e9, ' billion'],
  [1e6, ' million'],
  [1, ''],
]

export function sizeOf(bytes: number): string {
  return inUnits(bytes, SIZES, 2)
}

function count(value: number): string {
  return inUnits(value, COUNTS, 3)
}

/** In the largest unit that is not more than the value. */
function inUnits(value: number, units: Unit[], digits: number): string {
  const [size, name] = units.find((unit) => value >= unit[0]) ?? units.at(-1)!
  return `${Number((value / size).toPrecision(digits)).toLocaleString('en-US')}${name}`
}

function share(value: number): string {
  return value < 1 ? `${Number((100 * value).toPrecision(2))} %` : `${Number(value.toPrecision(2))} times as much`
}
