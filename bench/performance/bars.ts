import { formatFigure, MAILHATCH } from '../results.ts'
import { drawing, LINE_PX, PADDING_PX, round, text } from './drawing.ts'

/** What is compared, and the figure of each program. */
export type BarGroup = { title: string; bars: { name: string; value: number }[] }

const WIDTH = 800
const NAME_WIDTH = 90
const VALUE_WIDTH = 60
const BAR_WIDTH_MAX = WIDTH - 2 * PADDING_PX - NAME_WIDTH - VALUE_WIDTH
const BAR_PX = 12

/** The longest bar of each group has the full width. */
export function barsSvg(title: string, groups: BarGroup[]): string {
  const parts: string[] = []
  let top = PADDING_PX
  for (const group of groups) {
    parts.push(text(PADDING_PX, top + 12, group.title, 'title'))
    top += LINE_PX
    const longest = Math.max(...group.bars.map(({ value }) => value))
    for (const { name, value } of group.bars) {
      const left = PADDING_PX + NAME_WIDTH
      const width = round((BAR_WIDTH_MAX * value) / longest)
      parts.push(
        text(left - 8, top + 12, name, 'end'),
        `<rect class="${name === MAILHATCH ? 'own' : 'bar'}" x="${left}" y="${top + 2}" width="${width}" height="${BAR_PX}"/>`,
        text(left + width + 6, top + 12, formatFigure(value), 'dim'),
      )
      top += LINE_PX
    }
    top += LINE_PX / 2
  }
  return drawing(title, { width: WIDTH, height: top + PADDING_PX / 2 }, parts)
}
