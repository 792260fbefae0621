import { visibleSink } from './html-text.ts'
import { type Attributes, tokenizeHtml } from './html-tokens.ts'
import { hides, isSameColour, readColour, readStyle, type Colour } from './html-visibility.ts'

export type VisibleText = { text: string; hiddenCharacters: number }

type Frame = { name: string; isHidden: boolean; isTiny: boolean; colour: Colour; background: Colour }

// Mail nests tables in tables, though not this deep; deeper elements look like the one around them.
const DEPTH_MAX = 100
const PAGE: Frame = { name: '', isHidden: false, isTiny: false, colour: [0, 0, 0], background: [255, 255, 255] }
/** Left open, they end where the next of them starts. */
const ENDED_BY_NEXT = new Set(['p', 'li', 'td', 'th', 'tr', 'dd', 'dt', 'option'])
const WITHOUT_CONTENT = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'wbr'])

/**
 * What a person would see of the HTML, and how many characters they would not: not displayed, of no size, or in the colour
 * of the background. Only what elements say of themselves counts, not style sheets; doubtful text is shown.
 */
export function visibleText(html: string): VisibleText {
  const parts: string[] = []
  const sink = visibleSink(parts, '- ')
  const frames = [PAGE]
  let hiddenCharacters = 0
  const current = () => frames.at(-1) ?? PAGE

  tokenizeHtml(html, {
    text(run) {
      if (isSeen(current())) sink.text(run)
      else hiddenCharacters += run.replace(/\s+/g, ' ').trim().length
    },
    open(name, attributes) {
      if (ENDED_BY_NEXT.has(name) && current().name === name) frames.pop()
      const frame = frameOf(name, attributes, current())
      if (!WITHOUT_CONTENT.has(name) && frames.length < DEPTH_MAX) frames.push(frame)
      if (isSeen(frame)) sink.open(name, { ...attributes, hidden: false })
      else {
        hiddenCharacters += attributes.alt?.length ?? 0
        // For its line breaks only.
        sink.open(name, {})
      }
    },
    close(name) {
      const index = frames.findLastIndex((frame) => frame.name === name)
      if (index > 0) frames.length = index
      sink.close(name)
    },
  })
  return { text: parts.join(''), hiddenCharacters }
}

function isSeen({ isHidden, isTiny, colour, background }: Frame): boolean {
  return !isHidden && !isTiny && !isSameColour(colour, background)
}

/** Of most elements, which are then not asked ten times whether it hides them. */
const NO_STYLE = readStyle('')

/** Size and colour are inherited until an inner element says otherwise; what is not displayed stays so. */
function frameOf(name: string, attributes: Attributes, parent: Frame): Frame {
  const style = attributes.style === undefined ? NO_STYLE : readStyle(attributes.style)
  const background = style.background ?? (attributes.bgcolor === undefined ? undefined : readColour(attributes.bgcolor))
  const colour = style.colour ?? (attributes.color === undefined ? undefined : readColour(attributes.color))
  return {
    name,
    isHidden: parent.isHidden || attributes.hidden === true || (style !== NO_STYLE && hides(style)),
    isTiny: style.isTiny ?? parent.isTiny,
    colour: colour ?? parent.colour,
    background: background ?? parent.background,
  }
}
