import { classNames } from '../ui/class-names.ts'
import { roundAbove } from './usage-text.ts'

type Day = { date: string; count: number }

const HEIGHT = 120
/** So that a single message is seen beside thousands. */
const BAR_HEIGHT_MIN = 2

/** How wide a day is drawn; on a phone narrower, so that the texts stay as large. */
const WIDE = { step: 24, bar: 16, labelEvery: 5 }
const NARROW = { step: 10, bar: 7, labelEvery: 10 }

/** A bar a day; the table below says the same to those who do not see it, and exactly to those who do. */
export function DayBars({ days }: { days: Day[] }) {
  return (
    <>
      <Chart days={days} form={WIDE} className="max-sm:hidden" />
      <Chart days={days} form={NARROW} className="sm:hidden" />
      <details>
        <summary className="link w-fit text-sm">Figures</summary>
        <Figures days={days} />
      </details>
    </>
  )
}

function Chart({ days, form, className }: { days: Day[]; form: typeof WIDE; className: string }) {
  const top = roundAbove(Math.max(...days.map(({ count }) => count)))
  const width = days.length * form.step
  return (
    <svg
      viewBox={`-36 -8 ${width + 52} ${HEIGHT + 32}`}
      className={classNames('w-full text-quiet', className)}
      role="img"
      aria-label="Messages a day, as a chart; the table below has the figures"
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share} transform={`translate(0 ${HEIGHT * (1 - share)})`}>
          <line x2={width} className="stroke-line" />
          <text x={-8} y={4} textAnchor="end" className="fill-current text-[11px] tabular-nums">
            {(top * share).toLocaleString('en', { notation: 'compact' })}
          </text>
        </g>
      ))}
      {days.map((day, index) => (
        <Bar key={day.date} day={day} top={top} form={form} index={index} />
      ))}
    </svg>
  )
}

function Bar({ day, top, form, index }: { day: Day; top: number; form: typeof WIDE; index: number }) {
  const { date, count } = day
  const height = count === 0 ? 0 : Math.max((count / top) * HEIGHT, BAR_HEIGHT_MIN)
  return (
    <g transform={`translate(${index * form.step + (form.step - form.bar) / 2} 0)`}>
      <title>{`${date}: ${count.toLocaleString('en')}`}</title>
      <rect y={HEIGHT - height} width={form.bar} height={height} rx={2} className="fill-accent" />
      {(index + 1) % form.labelEvery === 0 && (
        <text x={form.bar / 2} y={HEIGHT + 18} textAnchor="middle" className="fill-current text-[11px]">
          {shortDate(date)}
        </text>
      )}
    </g>
  )
}

function Figures({ days }: { days: Day[] }) {
  return (
    <table className="mt-2 text-sm">
      <caption className="sr-only">Messages a day</caption>
      <thead>
        <tr className="text-left text-quiet">
          <th scope="col" className="pr-8 font-medium">
            Day
          </th>
          <th scope="col" className="text-right font-medium">
            Messages
          </th>
        </tr>
      </thead>
      <tbody className="tabular-nums">
        {days.toReversed().map(({ date, count }) => (
          <tr key={date}>
            <td className="pr-8">{date}</td>
            <td className="text-right">{count.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function shortDate(date: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(date))
}
