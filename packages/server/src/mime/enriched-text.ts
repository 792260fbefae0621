/**
 * The plain text of text/enriched (RFC 1896) and text/richtext, without commands, parameters and single line breaks.
 */
export function plainFromEnriched(text: string): string {
  return text
    .replace(/<param>[^<]*<\/param>/gi, '')
    .replace(/<<|<\/?[\w-]{1,60}>/g, (command) => (command === '<<' ? '<' : ''))
    .replace(/\n+/g, (breaks) => (breaks.length === 1 ? ' ' : breaks.slice(1)))
}
