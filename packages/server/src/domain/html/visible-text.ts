import { decodeHTML } from 'entities/decode'
import type { Attributes } from './html-attributes.ts'
import { visibleSink } from './html-text.ts'
import { tokenizeHtml } from './html-tokens.ts'
import { hides, isSameColour, readColour, readStyle, type Colour } from './html-visibility.ts'

export type VisibleText = { text: string; hiddenCharacters: number }

type Frame = { name: string; isHidden: boolean; isTiny: boolean; colour: Colour; background: Colour }

// Mail nests tables, but not this deep. Deeper elements inherit from the last one.
const DEPTH_MAX = 100
const PAGE: Frame = { name: '', isHidden: false, isTiny: false, colour: [0, 0, 0], background: [255, 255, 255] }
/** An element that is not closed ends where the next one of its kind starts. */
const ENDED_BY_NEXT = new Set(['p', 'li', 'td', 'th', 'tr', 'dd', 'dt', 'option'])
const WITHOUT_CONTENT = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'wbr'])

/**
 * The visible text of the HTML, and the number of hidden characters: not displayed, without size, or in the colour of
 * the background. Only attributes of elements count, not style sheets. In doubt, text counts as visible.
 */
export function visibleText(html: string): VisibleText {
  const parts: string[] = []
  const sink = visibleSink(parts, '- ')
  const frames = [PAGE]
  let hiddenCharacters = 0
  const current = () => frames.at(-1) ?? PAGE

  tokenizeHtml(html, {
    text(run) {
      if (isVisible(current())) sink.text(run)
      else hiddenCharacters += decodeHTML(run).replace(/\s+/g, ' ').trim().length
    },
    open(name, attributes) {
      if (ENDED_BY_NEXT.has(name) && current().name === name) frames.pop()
      const frame = frameOf(name, attributes, current())
      if (!WITHOUT_CONTENT.has(name) && frames.length < DEPTH_MAX) frames.push(frame)
      if (isVisible(frame)) sink.open(name, { ...attributes, hidden: false })
      else {
        hiddenCharacters += attributes.alt?.length ?? 0
        // Only for its line breaks.
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

function isVisible({ isHidden, isTiny, colour, background }: Frame): boolean {
  return !isHidden && !isTiny && !isSameColour(colour, background)
}

/** Shared by elements without a style, which skip the checks of `hides`. */
const NO_STYLE = readStyle('')

/** Size and colour are inherited unless the element sets them. Hidden elements stay hidden. */
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
