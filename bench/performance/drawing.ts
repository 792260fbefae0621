import { escapeXml } from '../../packages/server/src/bucket/s3-xml.ts'

export const FONT_PX = 12
export const LINE_PX = 18
export const PADDING_PX = 16

const STYLE = `
text{font:${FONT_PX}px system-ui,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#1f2328}
.title{font-weight:600}.dim{fill:#59636e}.end{text-anchor:end}.middle{text-anchor:middle}
.paper{fill:#fff;stroke:#d1d9e0}.grid{stroke:#d1d9e0}.bar{fill:#afb8c1}.own{fill:#0b6bcb}
path{fill:none;stroke-width:2}.dots{stroke-width:6;stroke-linecap:round}.dashed{stroke-dasharray:6 4}.c0{stroke:#0b6bcb}.c1{stroke:#c2500a}.c2{stroke:#11845b}.c3{stroke:#a0438f}.c4{stroke:#8a6d00}.c5{stroke:#1f2328}.c6{stroke:#6e56cf}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.paper{fill:#0d1117;stroke:#3d444d}.grid{stroke:#30363d}
.bar{fill:#59636e}.own{fill:#4ba3ff}.c0{stroke:#4ba3ff}.c1{stroke:#ff9a57}.c2{stroke:#4fd1a1}.c3{stroke:#e29ad6}.c4{stroke:#e3c04a}.c5{stroke:#e6edf3}.c6{stroke:#a99bf5}}
`
const CURVE_COLOURS = 7

/** An SVG without scripts or fonts, for a light or dark page. */
export function drawing(title: string, { width, height }: { width: number; height: number }, parts: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`
}

/** `look` is a list of classes of the style above. */
export function text(x: number, y: number, content: string, look = ''): string {
  return `<text${look === '' ? '' : ` class="${look}"`} x="${round(x)}" y="${round(y)}">${escapeXml(content)}</text>`
}

/** A line through these points, with a dot at each. Its look is that of the curve with this number. */
export function curve(number: number, points: [x: number, y: number][]): string {
  const colour = `c${number % CURVE_COLOURS}`
  const look = number < CURVE_COLOURS ? colour : `${colour} dashed`
  const places = points.map(([x, y]) => `${round(x)} ${round(y)}`)
  const dots = places.map((place) => `M${place}h0`).join('')
  return `<path class="${look}" d="M${places.join('L')}"/><path class="${colour} dots" d="${dots}"/>`
}

export function gridLine([x1, y1]: [number, number], [x2, y2]: [number, number]): string {
  return `<line class="grid" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`
}

export const round = (value: number): number => Math.round(value * 10) / 10
