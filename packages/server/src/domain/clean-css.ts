/** Which addresses a style may name; all others are made invalid, and with them the declaration they stand in. */
export type CssRules = { allowsUrl: (url: string) => boolean }

/**
 * Styles of a stranger, without what asks the network for something. Nothing is cut out, only made unknown to a
 * browser: what surrounds a cut could join to a new rule.
 */
export function cleanCss(css: string, { allowsUrl }: CssRules): string {
  return (
    css
      .replaceAll(COMMENT, ' ')
      // An escape can spell any word; mail has little use for it.
      .replaceAll('\\', '')
      .replaceAll('<', ' ')
      .replaceAll(IMPORT, '@blocked')
      .replaceAll(FUNCTION, (whole, name: string, url: string) =>
        name.toLowerCase() === 'url' && allowsUrl(url.toLowerCase()) ? whole : `blocked(${url}`,
      )
  )
}

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g
const IMPORT = /@import/gi
/** Functions that load something, with the beginning of what they load. */
const FUNCTION = /(url|src|image-set|image|cross-fade|element|expression|attr)\(\s*["']?\s*([\w+.:/-]{0,40})/gi
