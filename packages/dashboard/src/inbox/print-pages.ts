import type { MessageDetail } from '@mailhatch/sdk'

/** Characters that fill a page of loosely set mail. */
const CHARACTERS_PER_PAGE = 1_500
const IMAGES_PER_PAGE = 3
const LINES_PER_PAGE = 30
/** Longer mail is printed up to here. The text and the source are printed in full. */
const PAGES_MAX = 20

/**
 * How many pages the HTML of a message may take. The page cannot measure a frame of another origin, so this is an
 * estimate that is rather too high: the print dialog can leave out empty pages, but cannot add missing ones.
 */
export function printPages({ htmlContent, textContent }: Pick<MessageDetail, 'htmlContent' | 'textContent'>): number {
  const text = textContent ?? ''
  const images = Array.from((htmlContent ?? '').matchAll(/<img\b/gi)).length
  const lines = text.split('\n').length - 1
  const pages = Math.max(text.length / CHARACTERS_PER_PAGE, lines / LINES_PER_PAGE) + images / IMAGES_PER_PAGE
  return Math.min(PAGES_MAX, Math.max(1, Math.ceil(pages)))
}
