/** The lines that a drawn terminal shows; a wrapped line is several. */
export function shownText(drawing: string): string {
  const rows = new Map<string, string>()
  for (const [, y, text] of drawing.matchAll(/<text[^>]* y="(\d+)"[^>]*>([^<]*)<\/text>/g)) {
    rows.set(y!, (rows.get(y!) ?? '') + text)
  }
  return [...rows.values()].join('\n').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
