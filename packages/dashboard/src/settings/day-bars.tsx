import { classNames } from '../ui/class-names.ts'
import { roundAbove } from './usage-text.ts'

export type DayBar = {
  date: string
  value: number
  /** How many of `value` failed. */
  failed?: number
}

const HEIGHT = 120
/** Keeps a single message visible next to thousands. */
const BAR_HEIGHT_MIN = 2

/** Pixels per day. Narrow screens use narrower bars, so that labels keep their size. */
const WIDE = { step: 24, bar: 16, labelEvery: 5 }
const NARROW = { step: 10, bar: 7, labelEvery: 10 }

type Props = {
  /** Accessible name of the chart. */
  label: string
  bars: DayBar[]
  format: (value: number) => string
  /** For charts half as wide as the page. */
  isSmall?: boolean
}

/** A bar chart with one bar per day. The table below it has the exact figures, also for screen readers. */
export function DayBars({ isSmall = false, ...rest }: Props) {
  if (isSmall) return <Chart {...rest} form={NARROW} />
  return (
    <>
      <Chart {...rest} form={WIDE} className="max-sm:hidden" />
      <Chart {...rest} form={NARROW} className="sm:hidden" />
    </>
  )
}

type ChartProps = Omit<Props, 'isSmall'> & { form: typeof WIDE; className?: string }

function Chart({ label, bars, format, form, className }: ChartProps) {
  const top = roundAbove(Math.max(...bars.map(({ value }) => value)))
  const width = bars.length * form.step
  return (
    <svg
      viewBox={`-52 -8 ${width + 68} ${HEIGHT + 32}`}
      className={classNames('w-full text-quiet', className)}
      role="img"
      aria-label={`${label} per day, as a chart. The table below has the figures.`}
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share} transform={`translate(0 ${HEIGHT * (1 - share)})`}>
          <line x2={width} className="stroke-line" />
          <text x={-8} y={4} textAnchor="end" className="fill-current text-[11px] tabular-nums">
            {format(top * share)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <Bar key={bar.date} bar={bar} top={top} form={form} index={index} format={format} />
      ))}
    </svg>
  )
}

type BarProps = Pick<ChartProps, 'form' | 'format'> & { bar: DayBar; top: number; index: number }

function Bar({ bar: { date, value, failed = 0 }, top, form, index, format }: BarProps) {
  const height = heightOf(value, top)
  const failedHeight = Math.min(heightOf(failed, top), height)
  return (
    <g transform={`translate(${index * form.step + (form.step - form.bar) / 2} 0)`}>
      <title>{`${date}: ${format(value)}${failed > 0 ? `, ${format(failed)} failed` : ''}`}</title>
      <rect y={HEIGHT - height} width={form.bar} height={height} rx={2} className="fill-accent" />
      <rect y={HEIGHT - height} width={form.bar} height={failedHeight} rx={2} className="fill-danger" />
      {(index + 1) % form.labelEvery === 0 && (
        <text x={form.bar / 2} y={HEIGHT + 18} textAnchor="middle" className="fill-current text-[11px]">
          {shortDate(date)}
        </text>
      )}
    </g>
  )
}

function heightOf(value: number, top: number): number {
  return value === 0 ? 0 : Math.max((value / top) * HEIGHT, BAR_HEIGHT_MIN)
}

function shortDate(date: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(date))
}
