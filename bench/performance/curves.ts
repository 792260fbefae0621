import { curve, drawing, FONT_PX, gridLine, LINE_PX, PADDING_PX, text } from './drawing.ts'
import { logAxis, type LogAxis } from './log-axis.ts'

export type Curve = { name: string; points: { x: number; y: number }[] }

/** Panels beside each other, with the same curves, unit and axes. */
export type PanelRow = { unit: string; panels: { title: string; curves: Curve[] }[] }

type Place = { left: number; top: number }
type Axes = { x: LogAxis; y: LogAxis }

const PLOT_WIDTH = 340
const PLOT_HEIGHT = 180
/** Around the plot: the ticks of the y-axis; the title and the unit; the ticks of the x-axis. */
const LEFT = 44
const ABOVE = 44
const BELOW = 40
const PANEL_WIDTH = LEFT + PLOT_WIDTH + PADDING_PX
const LEGEND_COLUMNS = 2
const SWATCH_WIDTH = 18

/** Both axes are logarithmic, so that equal changes by a factor look equal. */
export function curvesSvg(title: string, xLabel: string, rows: PanelRow[]): string {
  const width = 2 * PADDING_PX + Math.max(...rows.map(({ panels }) => panels.length)) * PANEL_WIDTH
  const parts: string[] = []
  let top = PADDING_PX
  for (const row of rows) {
    const points = row.panels.flatMap(({ curves }) => curves.flatMap((one) => one.points))
    const axes = { x: logAxis(points.map(({ x }) => x)), y: logAxis(points.map(({ y }) => y)) }
    const names = [...new Set(row.panels.flatMap(({ curves }) => curves.map(({ name }) => name)))]
    row.panels.forEach((panel, column) => {
      const place = { left: PADDING_PX + column * PANEL_WIDTH + LEFT, top: top + ABOVE }
      const [left, first] = [place.left - LEFT, top + FONT_PX]
      parts.push(text(left, first, panel.title, 'title'), text(left, first + LINE_PX, row.unit, 'dim'))
      parts.push(...grid(place, axes, xLabel))
      for (const { name, points: own } of panel.curves) {
        const places = own.map(({ x, y }) => placeOf(place, axes.x.at(x), axes.y.at(y)))
        parts.push(curve(names.indexOf(name), places))
      }
    })
    top += ABOVE + PLOT_HEIGHT + BELOW
    names.forEach((name, index) => {
      const x = PADDING_PX + (index % LEGEND_COLUMNS) * ((width - 2 * PADDING_PX) / LEGEND_COLUMNS)
      const y = top + Math.floor(index / LEGEND_COLUMNS) * LINE_PX
      const line: [number, number][] = [
        [x, y + 8],
        [x + SWATCH_WIDTH, y + 8],
      ]
      parts.push(curve(index, line), text(x + SWATCH_WIDTH + 6, y + 12, name))
    })
    top += Math.ceil(names.length / LEGEND_COLUMNS) * LINE_PX + PADDING_PX
  }
  return drawing(title, { width, height: top }, parts)
}

function grid(place: Place, { x, y }: Axes, xLabel: string): string[] {
  const { left, top } = place
  const bottom = top + PLOT_HEIGHT
  return [
    ...y.ticks.flatMap((tick) => {
      const [, at] = placeOf(place, 0, y.at(tick))
      return [gridLine([left, at], [left + PLOT_WIDTH, at]), text(left - 6, at + 4, shownTick(tick), 'dim end')]
    }),
    ...x.ticks.flatMap((tick) => {
      const [at] = placeOf(place, x.at(tick), 0)
      return [gridLine([at, top], [at, bottom]), text(at, bottom + 16, shownTick(tick), 'dim middle')]
    }),
    text(left + PLOT_WIDTH / 2, bottom + 32, xLabel, 'dim middle'),
  ]
}

function placeOf({ left, top }: Place, x: number, y: number): [number, number] {
  return [left + x * PLOT_WIDTH, top + (1 - y) * PLOT_HEIGHT]
}

function shownTick(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`
  return value >= 1_000 ? `${value / 1_000} k` : `${value}`
}
