/** Red, green and blue. `unknown` if it cannot be determined, for example for an image. */
export type Colour = [number, number, number] | 'unknown' | 'transparent'

/** The parts of a `style` attribute that affect visibility. Missing if the style does not set them. */
export type Style = {
  declarations: Map<string, string>
  isTiny?: boolean
  colour?: Colour
  background?: Colour
}

// No real style is longer, so the rest is ignored.
const STYLE_LENGTH_MAX = 2_000
// Smaller text cannot be read.
const FONT_PIXELS_MIN = 3
// Two colours look different if a channel differs by this much.
const COLOUR_DISTANCE_MIN = 24

export function readStyle(text: string): Style {
  const declarations = new Map<string, string>()
  for (const declaration of text.slice(0, STYLE_LENGTH_MAX).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon > 0) declarations.set(declaration.slice(0, colon).trim(), bare(declaration.slice(colon + 1)))
  }
  const style: Style = { declarations }
  const size = declarations.get('font-size')
  if (size !== undefined) style.isTiny = isTiny(size)
  const colour = declarations.get('color')
  if (colour !== undefined) style.colour = readColour(colour)
  const background = declarations.get('background-color') ?? declarations.get('background')
  // A transparent background shows the one behind it.
  if (background !== undefined && background !== 'transparent' && background !== 'none') {
    style.background = readColour(background)
  }
  return style
}

function bare(value: string): string {
  return value.replace('!important', '').trim()
}

/** True if everything inside the element is invisible, whatever the styles of inner elements are. */
export function hides({ declarations }: Style): boolean {
  const is = (name: string, pattern: RegExp) => pattern.test(declarations.get(name) ?? '')
  if (is('display', /^none$/) || is('visibility', /^(?:hidden|collapse)$/) || is('mso-hide', /^all$/)) return true
  if (is('opacity', /^0?\.?0+%?$/) || is('max-height', ZERO) || is('max-width', ZERO)) return true
  const isCut = is('overflow', /^(?:hidden|clip)/)
  if (isCut && (is('height', ZERO) || is('width', ZERO))) return true
  return ['text-indent', 'left', 'top', 'margin-left'].some((name) => is(name, FAR_AWAY))
}
const ZERO = /^0+(?:\.0+)?(?:px|pt|em|rem|%)?$/
const FAR_AWAY = /^-\d{3,}(?:px|pt|em|rem)$/

function isTiny(size: string): boolean {
  const [, number, unit = ''] = /^(\d*\.?\d+)(px|pt|em|rem|%)?$/.exec(size) ?? []
  if (number === undefined) return false
  const value = Number(number)
  return unit === 'px' || unit === 'pt' ? value < FONT_PIXELS_MIN : value === 0
}

export function readColour(text: string): Colour {
  const value = text.trim().toLowerCase()
  if (value === 'transparent') return 'transparent'
  const named = NAMED.get(value)
  const hex = named ?? /^#?([\da-f]{3}|[\da-f]{6})\b/.exec(value)?.[1]
  if (hex !== undefined) return fromHex(hex)
  const [, red, green, blue, alpha] =
    /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+)%?)?\s*\)/.exec(value) ?? []
  if (red === undefined) return 'unknown'
  return alpha !== undefined && Number(alpha) === 0 ? 'transparent' : [Number(red), Number(green), Number(blue)]
}

const NAMED = new Map([
  ['white', 'fff'],
  ['black', '000'],
  ['snow', 'fffafa'],
  ['ivory', 'fffff0'],
  ['ghostwhite', 'f8f8ff'],
  ['whitesmoke', 'f5f5f5'],
])

function fromHex(hex: string): Colour {
  const digits = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
  const at = (index: number) => parseInt(digits.slice(index, index + 2), 16)
  return [at(0), at(2), at(4)]
}

export function isSameColour(colour: Colour, background: Colour): boolean {
  if (colour === 'transparent') return true
  if (typeof colour === 'string' || typeof background === 'string') return false
  return colour.every((channel, index) => Math.abs(channel - (background[index] ?? 0)) < COLOUR_DISTANCE_MIN)
}
