/** A line of terminal output and the time at which it appears. */
export type TimedLine = { text: string; atMs: number }

export type Recording = {
  title: string
  lines: TimedLine[]
  /** Longer lines are wrapped, at a space if there is one. */
  columns: number
  /** How long the last frame stays before the recording starts again. */
  holdMs: number
  /** Lines to point out. */
  isKey: (text: string) => boolean
}

const FONT_PX = 13
/** The usual width of monospace fonts. Each text is stretched to it, so that columns align in every font. */
const CHARACTER_PX = FONT_PX * 0.6
const LINE_PX = 19
const PADDING_PX = 16
/** Then it stays on the last frame. Endless motion distracts from reading. */
const PLAYS = 3

/** An animated SVG without scripts or fonts: a dark or light terminal. With reduced motion it shows the last frame. */
export function terminalSvg({ title, lines, columns, holdMs, isKey }: Recording): string {
  const rows = lines.flatMap(({ text, atMs }) => wrap(parseColours(text), columns).map((spans) => ({ spans, atMs })))
  const times = [...new Set(rows.map(({ atMs }) => atMs))]
  const totalMs = times.at(-1)! + holdMs
  const width = round(columns * CHARACTER_PX + 2 * PADDING_PX)
  const height = rows.length * LINE_PX + 2 * PADDING_PX
  const drawn = rows.map(({ spans, atMs }, row) => ({ atMs, svg: drawRow(spans, row, { width, isKey }) }))
  const frames = times.map((atMs, index) => {
    const content = drawn.filter((row) => row.atMs === atMs).map(({ svg }) => svg)
    return `<g class="f${index}">\n${content.filter((svg) => svg !== '').join('\n')}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${styles(times, totalMs)}</style>
<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${frames.join('\n')}
</svg>
`
}

function styles(times: number[], totalMs: number): string {
  const percent = (ms: number) => round((100 * ms) / totalMs)
  const moving = times.map((ms, index) => (ms === 0 ? '' : moves(`f${index}`, percent(ms), totalMs))).join('')
  return `
text{font:${FONT_PX}px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre;fill:#1f2328}
.paper{fill:#f6f8fa;stroke:#d1d9e0}.key{fill:#fff3c4}.bold{font-weight:700}.dim{fill:#59636e}
.red{fill:#b3202a}.green{fill:#116329}.yellow{fill:#7d4e00}.blue{fill:#0550ae}.magenta{fill:#7a3cbf}.cyan{fill:#0b6b74}.on{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117;stroke:#3d444d}.key{fill:#463a10}.dim{fill:#9198a1}
.red{fill:#ff8a82}.green{fill:#5fd07a}.yellow{fill:#e3b341}.blue{fill:#79b8ff}.magenta{fill:#d2a8ff}.cyan{fill:#62d2dc}.on{fill:#0d1117}}
@media (prefers-reduced-motion:no-preference){${moving}}
`
}

function moves(name: string, fromPercent: number, totalMs: number): string {
  return `.${name}{animation:${name} ${totalMs}ms step-end ${PLAYS}}@keyframes ${name}{0%{opacity:0}${fromPercent}%{opacity:1}}`
}

type Span = { text: string; colour: string | null; isBold: boolean; isDim: boolean; isInverse: boolean }

function drawRow(spans: Span[], row: number, { width, isKey }: { width: number; isKey: Recording['isKey'] }): string {
  const top = PADDING_PX + row * LINE_PX
  const parts: string[] = []
  if (isKey(spans.map(({ text }) => text).join(''))) {
    parts.push(`<rect class="key" x="1" y="${top}" width="${width - 2}" height="${LINE_PX}"/>`)
  }
  let column = 0
  for (const span of spans) {
    if (span.isInverse) {
      const place = `x="${leftOf(column)}" y="${top + 1}" width="${widthOf(span.text)}" height="${LINE_PX - 2}"`
      parts.push(`<rect class="${span.colour ?? 'dim'}" ${place}/>`)
    }
    // Without spaces at its ends, which some browsers drop.
    const text = span.text.trim()
    const x = leftOf(column + span.text.length - span.text.trimStart().length)
    column += span.text.length
    if (text === '') continue
    const names = classesOf(span)
    const place = `x="${x}" y="${top + FONT_PX}" textLength="${widthOf(text)}" lengthAdjust="spacingAndGlyphs"`
    parts.push(`<text${names === '' ? '' : ` class="${names}"`} ${place}>${escaped(text)}</text>`)
  }
  return parts.join('\n')
}

const leftOf = (column: number): number => round(PADDING_PX + column * CHARACTER_PX)
const widthOf = (text: string): number => round(text.length * CHARACTER_PX)

function classesOf({ colour, isBold, isDim, isInverse }: Span): string {
  const fill = isInverse ? 'on' : (colour ?? (isDim ? 'dim' : ''))
  return [fill, isBold ? 'bold' : ''].filter((name) => name !== '').join(' ')
}

const COLOURS = ['dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', null]
const PLAIN = { colour: null, isBold: false, isDim: false, isInverse: false }

/** Splits a line at its escape sequences for colours and weights. */
function parseColours(line: string): Span[] {
  let style: Omit<Span, 'text'> = PLAIN
  const spans: Span[] = []
  // eslint-disable-next-line no-control-regex -- these start escape sequences
  for (const part of line.split(/(\u001B\[[\d;]*m)/)) {
    if (part.startsWith('\u001B[')) for (const code of part.slice(2, -1).split(';')) style = styled(style, Number(code))
    else if (part !== '') spans.push({ text: part, ...style })
  }
  return spans
}

function styled(style: Omit<Span, 'text'>, code: number): Omit<Span, 'text'> {
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, isBold: true }
  if (code === 2) return { ...style, isDim: true }
  if (code === 7) return { ...style, isInverse: true }
  if (code === 22) return { ...style, isBold: false, isDim: false }
  if (code === 27) return { ...style, isInverse: false }
  if (code === 39) return { ...style, colour: null }
  if (code === 49) return { ...style, isInverse: false }
  const foreground = code % 10
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...style, colour: COLOURS[foreground]! }
  if (code >= 40 && code <= 47) return { ...style, colour: COLOURS[foreground]!, isInverse: true }
  return style
}

function wrap(spans: Span[], columns: number): Span[][] {
  const text = spans.map((span) => span.text).join('')
  const rows: Span[][] = []
  for (let start = 0; start === 0 || start < text.length;) {
    const end = rowEnd(text, start, columns)
    rows.push(cut(spans, start, end))
    start = end
  }
  return rows
}

/** The row ends after the last space that fits, unless that would leave it almost empty. */
function rowEnd(text: string, start: number, columns: number): number {
  if (text.length - start <= columns) return Math.max(text.length, 1)
  const space = text.lastIndexOf(' ', start + columns - 1)
  return space - start > columns / 2 ? space + 1 : start + columns
}

/** The part of a line from one column to another. */
function cut(spans: Span[], start: number, end: number): Span[] {
  let column = 0
  return spans.flatMap((span) => {
    const text = span.text.slice(Math.max(0, start - column), Math.max(0, end - column))
    column += span.text.length
    return text === '' ? [] : [{ ...span, text }]
  })
}

const round = (value: number): number => Math.round(value * 100) / 100

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
